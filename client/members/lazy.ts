import { lazy } from '../ui/lazy.ts';

export const BanNewcomers = lazy(() => import('./BanNewcomers.svelte'));
export const LargeMemberList = lazy(() => import('./LargeMemberList.svelte'));
