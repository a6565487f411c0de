import type { presenceCommands } from '../../shared/presence.ts';
import type { Handlers } from '../caller.ts';
import { chooseStatus, noteUse } from './status.ts';

export const presenceHandlers: Handlers<keyof typeof presenceCommands> = {
  'presence:set': async (caller, { status }) => (await chooseStatus(caller, status), { status }),
  'presence:update': async (caller, { active }) => (noteUse(caller, active), {}),
};
