import type { memberCommands } from '../../shared/members.ts';
import type { Handlers } from '../caller.ts';
import { banPerson, liftBan, listBans } from './bans.ts';
import { banMembers, listNewcomers } from './newcomers.ts';
import { listMembers, removeMember, updateMember } from './managing.ts';
import { timeOut } from './timeouts.ts';
import { searchMembers } from './search.ts';

export const memberHandlers: Handlers<keyof typeof memberCommands> = {
  'member:list': (caller, input) => listMembers(caller, input),
  'member:search': (caller, input) => searchMembers(caller, input),
  'member:update': async (caller, input) => ({ member: await updateMember(caller, input) }),
  'member:remove': (caller, input) => removeMember(caller, input),
  'member:timeOut': async (caller, input) => ({ member: await timeOut(caller, input) }),
  'ban:create': async (caller, input) => ({ ban: await banPerson(caller, input) }),
  'member:newcomers': listNewcomers,
  'ban:createMany': banMembers,
  'ban:list': (caller, input) => listBans(caller, input),
  'ban:delete': (caller, input) => liftBan(caller, input),
};
