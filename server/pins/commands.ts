import type { pinCommands } from '../../shared/pins.ts';
import type { Handlers } from '../command.ts';
import { listPins, pin } from './pins.ts';

export const pinHandlers: Handlers<keyof typeof pinCommands> = {
  'message:pin': async (caller, input) => ({ version: (await pin(caller, input)).version }),
  'pin:list': (caller, input) => listPins(caller, input),
};
