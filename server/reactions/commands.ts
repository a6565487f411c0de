import type { reactionCommands } from '../../shared/reactions.ts';
import type { Handlers } from '../command.ts';
import { listMine, listReactors, react } from './reactions.ts';

export const reactionHandlers: Handlers<keyof typeof reactionCommands> = {
  'message:react': async (caller, input) => ({ version: (await react(caller, input)).version }),
  'reaction:list': (caller, input) => listReactors(caller, input),
  'reaction:mine': (caller, input) => listMine(caller, input),
};
