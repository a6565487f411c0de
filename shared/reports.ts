/** Reports of messages, which members make and moderators, the owner and custom roles answer. */
import { z } from 'zod';
import { command, Id, Ids, Line, More, Nothing, PersonId, Position, Time } from './contract.ts';
import { People } from './people.ts';
import { quotas } from './quotas.ts';

export const ReportKind = z.enum(['spam', 'abuse', 'harmful', 'other']);
export type ReportKind = z.infer<typeof ReportKind>;

/** Handled: someone acted on it. Dismissed: nothing is wrong with the message. */
export const ReportOutcome = z.enum(['handled', 'dismissed']);
export type ReportOutcome = z.infer<typeof ReportOutcome>;

/** All reports of one message. */
export const Report = z.strictObject({
  messageId: Id,
  channelId: Id,
  position: Position,
  authorId: PersonId,
  /** The text when it was reported. Stays if the message is edited or deleted. */
  body: z.string(),
  /** The text when it was last reported, if it was edited since. */
  laterBody: z.string().optional(),
  files: z.int(),
  /** The message was deleted since. */
  isDeleted: z.literal(true).optional(),
  /** The latest ones, newest first. */
  reasons: z.array(
    z.strictObject({
      userId: PersonId,
      kind: ReportKind,
      note: z.string().nullable(),
      at: Time,
    }),
  ),
  /** How many people reported the message. */
  count: z.int(),
  createdAt: Time,
  closed: z.strictObject({ by: PersonId.nullable(), at: Time, outcome: ReportOutcome }).optional(),
});
export type Report = z.infer<typeof Report>;

export const reportCommands = {
  'report:create': command({
    summary: `Reports another person’s message in a channel to the server’s moderators, its owner and custom roles with \`manage messages\`. A moderator’s message is reported only to the owner; a message of a member with such a role, or with \`manage members\`, only to moderators and the owner. They all receive the current text, even from a private channel that they can’t see. Reporting the same text again changes nothing. A person can have up to ${quotas.openReportsPerPerson} open reports in a server.`,
    input: z.strictObject({
      messageId: Id,
      kind: ReportKind,
      note: Line(quotas.reportNote).optional(),
    }),
    output: Nothing,
    errors: ['not_found', 'conflict'],
    rate: 'ask',
    who: 'people',
  }),
  'report:list': command({
    summary: `Lists the open reports that you can answer, oldest first. With \`closed\`, lists the reports closed in the last ${quotas.closedReportDays} days, the last one first. For moderators, the owner and custom roles with \`manage messages\`. Leaves out reports of your own messages.`,
    input: z.strictObject({
      serverId: Id,
      closed: z.boolean().optional(),
      /** The message of the last report of the previous page. */
      after: Id.optional(),
    }),
    output: z.strictObject({ reports: z.array(Report), people: People, more: More }),
    errors: ['forbidden', 'not_found'],
    rate: 'read',
    cost: () => 4,
    who: 'people',
  }),
  'report:close': command({
    summary:
      'Closes reports. A handled one reopens when another person reports the message, or when it is reported after an edit; a dismissed one only after an edit. Skips reports that are already closed or that you can’t answer.',
    input: z.strictObject({
      serverId: Id,
      messageIds: Ids(quotas.reportsPerPage, 1),
      outcome: ReportOutcome,
    }),
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
    who: 'people',
  }),
};
