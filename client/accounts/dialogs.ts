import { lazy } from '../ui/lazy.ts';

export const AccountItems = lazy(() => import('./AccountItems.svelte'));
export const AccountSettings = lazy(() => import('../settings/AccountSettings.svelte'));
export const ClaimAccount = lazy(() => import('./ClaimAccount.svelte'));
export const SetStatus = lazy(() => import('../people/SetStatus.svelte'));
export const SignOut = lazy(() => import('./SignOut.svelte'));
