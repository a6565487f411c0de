import { z } from 'zod';
import { command, Id, More, Time, Version } from './contract.ts';
import { Message } from './messages.ts';
import { People } from './people.ts';

export const pinCommands = {
  'message:pin': command({
    summary:
      'Pins a message in its timeline, where a line says so, or unpins it. If it already is, nothing changes. Answers with the version of the message that this led to.',
    input: z.strictObject({ messageId: Id, on: z.boolean() }),
    output: z.strictObject({ version: Version }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'send',
    queued: false,
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
