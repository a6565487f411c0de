import type { localTimeCommands } from '../../shared/local-time.ts';
import type { Handlers } from '../caller.ts';
import { setLocalTime, utcOffsetOf } from './local-time.ts';

export const localTimeHandlers: Handlers<keyof typeof localTimeCommands> = {
  'localTime:set': async (caller, input) => ({ shared: await setLocalTime(caller, input) }),
  'localTime:get': async (caller, { userId }) => ({ utcOffset: await utcOffsetOf(caller, userId) }),
};
