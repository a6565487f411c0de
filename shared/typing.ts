/** Typing notices. They are not stored, and any of them can get lost. */
import { z } from 'zod';
import { command, momentaryEvent, Id, Nothing, PersonId } from './contract.ts';

/** A person is typing in a timeline: for five seconds, unless it is repeated. */
export const Typing = z.strictObject({ timelineId: Id, userId: PersonId });
export type Typing = z.infer<typeof Typing>;

export const typingEvents = {
  typing: momentaryEvent({
    summary: 'Someone else is typing, for five seconds unless it’s repeated. Lossy.',
    payload: Typing,
    // From five people on, clients do not name them.
    pace: { people: 6, ms: 500 },
  }),
};

export const typingCommands = {
  'typing:set': command({
    summary:
      'Shows the others in a timeline that you’re typing. For people who can write there. While you’re typing, repeat it every three seconds.',
    input: z.strictObject({ timelineId: Id }),
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'typing',
    queued: false,
  }),
};
