import { z } from 'zod';
import { command, Id, More, Nothing, pageAfter, PersonId, Time, Version } from './contract.ts';
import { People } from './people.ts';

/** A person that the user blocks. Blocked people are not notified of it. */
export const Block = z.strictObject({ userId: PersonId, createdAt: Time, version: Version });
export type Block = z.infer<typeof Block>;

const UserTarget = z.strictObject({ userId: Id });

export const blockCommands = {
  'block:create': command({
    summary:
      'Blocks a person, and ends your friendship and all requests between you. From then on, neither of you can find the other or send them a request.',
    input: UserTarget,
    output: z.strictObject({ block: Block }),
    errors: ['not_found', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
  'block:list': command({
    summary: 'Lists the people you’ve blocked by id, a page at a time.',
    input: z.strictObject(pageAfter),
    output: z.strictObject({ blocks: z.array(Block), people: People, more: More }),
    errors: [],
    rate: 'read',
    who: 'people',
  }),
  'block:delete': command({
    summary:
      'Unblocks a person. Doesn’t restore the friendship and the requests that the block ended.',
    input: UserTarget,
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    who: 'people',
  }),
};
