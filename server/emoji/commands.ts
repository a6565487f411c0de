import type { emojiCommands } from '../../shared/emoji.ts';
import type { Handlers } from '../caller.ts';
import { createEmoji, deleteEmoji } from './emoji.ts';

export const emojiHandlers: Handlers<keyof typeof emojiCommands> = {
  'emoji:create': async (caller, input) => ({ emoji: await createEmoji(caller, input) }),
  'emoji:delete': (caller, input) => deleteEmoji(caller, input),
};
