import type { administrationCommands } from '../../shared/administration.ts';
import type { Handlers } from '../caller.ts';
import { listAccounts, resetAccount, signOutAccount, administerAccount } from './administration.ts';
import { instanceSettings, updateInstance } from './settings.ts';

export const administrationHandlers: Handlers<keyof typeof administrationCommands> = {
  'instance:get': (caller) => instanceSettings(caller),
  'instance:update': (caller, input) => updateInstance(caller, input),
  'account:list': (caller, input) => listAccounts(caller, input),
  'account:reset': (caller, input) => resetAccount(caller, input),
  'account:signOut': (caller, input) => signOutAccount(caller, input),
  'account:update': async (caller, input) => ({ account: await administerAccount(caller, input) }),
};
