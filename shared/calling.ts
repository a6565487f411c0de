/** Mentions of many people, by `@everyone` or `@here` in a message. */
import { z } from 'zod';

export const callFields = {
  /** Set if the author has the right to mention everyone. Otherwise the words are plain text. */
  calls: z.enum(['everyone', 'here']).optional(),
};
