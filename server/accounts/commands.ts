import type { accountCommands } from '../../shared/accounts.ts';
import type { Handlers } from '../caller.ts';
import { updateAccount } from './accounts.ts';
import { changePassword } from './change-password.ts';
import { searchPeople } from './search.ts';
import { endSession, listSessions } from './sessions.ts';

export const accountHandlers = {
  'session:logout': async (caller) => (await endSession(caller, caller.sessionId), {}),
  'session:list': async (caller) => ({ sessions: await listSessions(caller) }),
  'session:revoke': async (caller, { sessionId }) => (await endSession(caller, sessionId), {}),
  'user:search': async (caller, input) => ({ users: await searchPeople(caller, input) }),
  'user:update': async (caller, input) => ({ user: await updateAccount(caller, input) }),
  'user:changePassword': async (caller, input) => (await changePassword(caller, input), {}),
} satisfies Handlers<keyof typeof accountCommands>;
