/** What is asked about a server, and seldom. */
import { later } from '../ui/lazy.ts';

export const CreateServer = later(() => import('./CreateServer.svelte'));
export const JoinServer = later(() => import('./JoinServer.svelte'));
export const InvitePeople = later(() => import('./InvitePeople.svelte'));
export const LeaveServer = later(() => import('./LeaveServer.svelte'));
export const ServerSettings = later(() => import('./ServerSettings.svelte'));
