import type { pinCommands } from '../../shared/pins.ts';
import { changePart } from '../messages/messages.ts';
import type { Handlers } from '../caller.ts';
import { pinWriter } from './part.ts';
import { listPins } from './pins.ts';

export const pinHandlers: Handlers<keyof typeof pinCommands> = {
  'message:pin': (caller, { messageId, ...ask }) => changePart(caller, pinWriter, messageId, ask),
  'pin:list': (caller, input) => listPins(caller, input),
};
