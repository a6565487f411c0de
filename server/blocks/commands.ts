import type { blockCommands } from '../../shared/blocks.ts';
import type { Handlers } from '../caller.ts';
import { blockPerson, liftBlock, listBlocks } from './blocks.ts';

export const blockHandlers: Handlers<keyof typeof blockCommands> = {
  'block:create': async (caller, input) => ({ block: await blockPerson(caller, input) }),
  'block:list': (caller, input) => listBlocks(caller, input),
  'block:delete': async (caller, input) => (await liftBlock(caller, input), {}),
};
