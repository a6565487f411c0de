import type { transferCommands } from '../../shared/transfers.ts';
import type { Handlers } from '../caller.ts';
import { acceptTransfer, declineTransfer, offerTransfer } from './offering.ts';

export const transferHandlers: Handlers<keyof typeof transferCommands> = {
  'server:transfer': async (caller, input) => (await offerTransfer(caller, input), {}),
  'server:acceptTransfer': async (caller, input) => (await acceptTransfer(caller, input), {}),
  'server:declineTransfer': async (caller, input) => (await declineTransfer(caller, input), {}),
};
