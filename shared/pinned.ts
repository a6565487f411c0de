/** Fields of a pinned message, and of the line that announces a pin. */
import { z } from 'zod';
import { PersonId, Time } from './contract.ts';

export const pinFields = {
  /** The person who pinned it, and when: later than all earlier pins of its timeline. */
  pinned: z.strictObject({ by: PersonId, at: Time }).optional(),
  /** A line that says what its author did, without their text. `pin`: pinned the message that it replies to. */
  kind: z.enum(['pin']).optional(),
};
