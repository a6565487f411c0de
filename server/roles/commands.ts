import type { roleCommands } from '../../shared/roles.ts';
import type { Handlers } from '../caller.ts';
import { giveRole, takeRole } from './holders.ts';
import { createRole, deleteRole, updateRole } from './roles.ts';

export const roleHandlers: Handlers<keyof typeof roleCommands> = {
  'role:create': async (caller, input) => ({ role: await createRole(caller, input) }),
  'role:update': async (caller, input) => ({ role: await updateRole(caller, input) }),
  'role:delete': (caller, input) => deleteRole(caller, input),
  'role:give': async (caller, input) => ({ member: await giveRole(caller, input) }),
  'role:take': async (caller, input) => ({ member: await takeRole(caller, input) }),
};
