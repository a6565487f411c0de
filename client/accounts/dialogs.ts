/** What is asked of one's own account, and seldom. */
import { later } from '../ui/lazy.ts';

export const AccountSettings = later(() => import('./AccountSettings.svelte'));
export const ClaimAccount = later(() => import('./ClaimAccount.svelte'));
export const SignOut = later(() => import('./SignOut.svelte'));
