import type { typingCommands } from '../../shared/typing.ts';
import type { Handlers } from '../caller.ts';
import { broadcastTyping } from './typing.ts';

export const typingHandlers: Handlers<keyof typeof typingCommands> = {
  'typing:set': async (caller, input) => (await broadcastTyping(caller, input), {}),
};
