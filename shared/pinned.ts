/** What a message carries when it is pinned, and what the line that tells of it does. */
import { z } from 'zod';
import { PersonId, Time } from './contract.ts';

export const pinFields = {
  /** Who pinned it, and when: later than every other in its timeline that was pinned before. */
  pinned: z.strictObject({ by: PersonId, at: Time }).optional(),
  /**
   * Its author did not write it: they did something, and this line says so, without words of theirs. `pin`: they pinned
   * the message that it replies to.
   */
  kind: z.enum(['pin']).optional(),
};
