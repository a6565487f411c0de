import { z } from 'zod';
import { command, Id, More, Nothing, pageAfter, Time, Version } from './contract.ts';
import { People } from './people.ts';

/** Somebody from whom one wants to hear nothing. They are never told. */
export const Block = z.strictObject({ userId: Id, createdAt: Time, version: Version });
export type Block = z.infer<typeof Block>;

const Whom = z.strictObject({ userId: Id });

export const blockCommands = {
  'block:create': command({
    summary:
      'Blocks somebody: ends the friendship and all requests between the two, and neither finds nor asks the other from then on.',
    input: Whom,
    output: z.strictObject({ block: Block }),
    errors: ['not_found', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
  'block:list': command({
    summary: 'Lists whom one blocks, by their ids, a page at a time.',
    input: z.strictObject(pageAfter),
    output: z.strictObject({ blocks: z.array(Block), people: People, more: More }),
    errors: [],
    rate: 'read',
    who: 'people',
  }),
  'block:delete': command({
    summary: 'Lifts one’s own block. What it ended stays ended.',
    input: Whom,
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    who: 'people',
  }),
};
