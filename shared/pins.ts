import { z } from 'zod';
import { command, Id, InputTime, More, Version } from './contract.ts';
import { Message } from './messages.ts';
import { People } from './people.ts';

export const pinCommands = {
  'message:pin': command({
    summary:
      'Pins a message in its timeline, which also adds a line about it there, or unpins it. If that is already the case, nothing changes. Returns the resulting version of the message.',
    input: z.strictObject({ messageId: Id, on: z.boolean() }),
    output: z.strictObject({ version: Version }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'send',
    queued: false,
  }),
  'pin:list': command({
    summary:
      'Lists the pinned messages of a timeline, most recently pinned first: all of them, or as many as fit in one answer. For the rest, pass the time at which the last one was pinned as `before`.',
    input: z.strictObject({ timelineId: Id, before: InputTime.optional() }),
    output: z.strictObject({ messages: z.array(Message), people: People, more: More }),
    errors: ['not_found'],
    rate: 'read',
  }),
};
