import { z } from 'zod';

export const callFields = {
  /** `@everyone` or `@here`, if the author has the right to mention everyone. Otherwise the words are plain text. */
  calls: z.enum(['everyone', 'here']).optional(),
};
