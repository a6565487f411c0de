import { lazy } from '../ui/lazy.ts';

export const BanNewcomers = lazy(() => import('./BanNewcomers.svelte'));
export const MemberRoles = lazy(() => import('./MemberRoles.svelte'));
export const WatchMembers = lazy(() => import('./WatchMembers.svelte'));
export const LargeMemberList = lazy(() => import('./LargeMemberList.svelte'));
