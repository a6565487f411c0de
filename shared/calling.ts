/** Calling many at once, by `@everyone` or `@here` in a message. */
import { z } from 'zod';

export const callFields = {
  /**
   * It mentions everyone who can see it, or those of them who were online: its author may do that. Otherwise such words
   * are words.
   */
  calls: z.enum(['everyone', 'here']).optional(),
};
