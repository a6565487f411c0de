import { lazy } from '../ui/lazy.ts';

export const CreateServer = lazy(() => import('./CreateServer.svelte'));
export const JoinServer = lazy(() => import('./JoinServer.svelte'));
export const OwnJoinRequests = lazy(() => import('./OwnJoinRequests.svelte'));
export const InvitePeople = lazy(() => import('./InvitePeople.svelte'));
export const LeaveServer = lazy(() => import('./LeaveServer.svelte'));
export const ServerSettings = lazy(() => import('../settings/ServerSettings.svelte'));
