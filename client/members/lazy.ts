import { lazy } from '../ui/lazy.ts';

export const LargeMemberList = lazy(() => import('./LargeMemberList.svelte'));
