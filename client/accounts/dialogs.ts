import { lazy } from '../ui/lazy.ts';

export const AccountSettings = lazy(() => import('../settings/AccountSettings.svelte'));
export const ClaimAccount = lazy(() => import('./ClaimAccount.svelte'));
export const SignOut = lazy(() => import('./SignOut.svelte'));
