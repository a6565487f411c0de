/** Messages that stay at hand in their timeline. */
import { z } from 'zod';
import { command, Id, More, Time, Version } from './contract.ts';
import { Message } from './messages.ts';
import { People } from './people.ts';

export const pinCommands = {
  'message:pin': command({
    summary:
      'Pins a message in its timeline, which a line there tells, or unpins it. What is so already stays so. Answers with the message’s version from which on it is so.',
    input: z.strictObject({ messageId: Id, on: z.boolean() }),
    output: z.strictObject({ version: Version }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'send',
  }),
  'pin:list': command({
    summary:
      'Lists the pinned messages of a timeline, the latest pinned first: all of them, or as many as fit an answer. The rest were pinned before the last.',
    input: z.strictObject({ timelineId: Id, before: Time.optional() }),
    output: z.strictObject({ messages: z.array(Message), people: People, more: More }),
    errors: ['not_found'],
    rate: 'read',
  }),
};
