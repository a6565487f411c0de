import type { reactionCommands } from '../../shared/reactions.ts';
import { changePart } from '../messages/messages.ts';
import type { Handlers } from '../caller.ts';
import { reactionWriter } from './part.ts';
import { listMine, listReactors } from './reactions.ts';

export const reactionHandlers: Handlers<keyof typeof reactionCommands> = {
  'message:react': (caller, { messageId, ...ask }) =>
    changePart(caller, reactionWriter, messageId, ask),
  'reaction:list': (caller, input) => listReactors(caller, input),
  'reaction:mine': (caller, input) => listMine(caller, input),
};
