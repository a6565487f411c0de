/** What a person wants to be notified of. notification-rules.ts decides by it. */
import { z } from 'zod';
import { command, Id, Line, PersonId, Time, Version } from './contract.ts';
import { limits } from './limits.ts';
import { TimeZone } from './local-time.ts';

export const NotificationLevel = z.enum(['all', 'mentions', 'nothing']);
export type NotificationLevel = z.infer<typeof NotificationLevel>;

/** Without `until`, until one unmutes it. */
const Muted = z.strictObject({ until: Time.optional() });

/** In minutes since midnight. From 22:00 to 7:00 is over midnight. */
const Minute = z.int().min(0).max(1_439);

/** ISO weekdays: 1 is Monday, 7 is Sunday. */
const Weekday = z.int().min(1).max(7);

const QuietHours = z
  .strictObject({
    from: Minute,
    to: Minute,
    timeZone: TimeZone,
    /** The days on which they begin. Missing: every day. */
    days: z.array(Weekday).min(1).max(7).optional(),
  })
  .refine(({ from, to }) => from !== to, {
    message: 'Choose two different times.',
    path: ['to'],
  });
export type QuietHours = z.infer<typeof QuietHours>;

const Keyword = Line(limits.keyword).refine((word) => word !== '', 'Use at least one character.');
const Keywords = z
  .array(Keyword)
  .refine(
    (words) => words.length <= limits.keywords,
    `You can have up to ${limits.keywords} keywords.`,
  );

/** The choices of one person for one target. A missing field is inherited: from the server, then from everything. */
export const NotificationSetting = z.strictObject({
  /** A server, a channel, a conversation or another person; one’s own id: everything. */
  targetId: Id,
  /** The target, if it is another person, so that their profile is sent too. */
  personId: PersonId.optional(),
  version: Version,
  level: NotificationLevel.optional(),
  muted: Muted.optional(),
  /** Makes the target an exception from do not disturb: a place, or the author of a message. */
  exempt: z.literal(true).optional(),
  /** Of everything only: words that notify like a mention. */
  keywords: z.array(z.string()).optional(),
  /** Of everything only: do not disturb at these times of the day. */
  quietHours: QuietHours.optional(),
});
export type NotificationSetting = z.infer<typeof NotificationSetting>;

export const notificationCommands = {
  'notification:set': command({
    summary:
      'Chooses what you’re notified of: in a server, channel or conversation, or with your own id everywhere. With another person’s id, `exempt` alone lets their messages through during do not disturb. What you don’t give stays as it is, null or false removes it. Your other devices are told.',
    input: z.strictObject({
      targetId: Id,
      level: NotificationLevel.nullable().optional(),
      muted: Muted.nullable().optional(),
      exempt: z.boolean().optional(),
      keywords: Keywords.nullable().optional(),
      quietHours: QuietHours.nullable().optional(),
    }),
    /** Null: nothing is chosen for this target. */
    output: z.strictObject({ setting: NotificationSetting.nullable() }),
    errors: ['not_found', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
};
