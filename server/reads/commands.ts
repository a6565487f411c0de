import type { readCommands } from '../../shared/reads.ts';
import type { Handlers } from '../caller.ts';
import { markUnread, noteRead } from './marking.ts';

export const readHandlers: Handlers<keyof typeof readCommands> = {
  'read:update': async (caller, input) => ({ read: await noteRead(caller, input) }),
  'read:mark': async (caller, input) => ({ mark: await markUnread(caller, input) }),
};
