/** Notification settings of a person. notification-rules.ts decides by them. */
import { z } from 'zod';
import { command, Id, InputTime, Line, List, PersonId, Time, Version } from './contract.ts';
import { limits } from './limits.ts';
import { TimeZone } from './local-time.ts';

export const NotificationLevel = z.enum(['all', 'mentions', 'nothing']);
export type NotificationLevel = z.infer<typeof NotificationLevel>;

/** Without `until`: until the person unmutes it. */
const Muted = z.strictObject({ until: Time.optional() });

/** In minutes since midnight. Hours from 22:00 to 7:00 span midnight. */
const Minute = z.int().min(0).max(1_439);

/** ISO weekdays: 1 is Monday, 7 is Sunday. */
const Weekday = z.int().min(1).max(7);

const QuietHours = z
  .strictObject({
    from: Minute,
    to: Minute,
    timeZone: TimeZone,
    /** The days on which they begin. Default: every day. */
    days: List(Weekday, 7, 1).optional(),
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

/** A person’s settings for one target. An absent field is inherited: from the server, then from everything. */
export const NotificationSetting = z.strictObject({
  /** A server, a channel, a conversation or another person. The user’s own id stands for everything. */
  targetId: Id,
  /** The target, if it is another person, so that their profile is sent too. */
  personId: PersonId.optional(),
  version: Version,
  level: NotificationLevel.optional(),
  muted: Muted.optional(),
  /** Only for channels: hides the channel in the person’s list, and mutes it. */
  hidden: z.literal(true).optional(),
  /** Exempts the target from do not disturb: a place, or the author of a message. */
  exempt: z.literal(true).optional(),
  /** Only for everything: words that notify like a mention. */
  keywords: z.array(z.string()).optional(),
  /** Only for everything: do not disturb at these times of the day. */
  quietHours: QuietHours.optional(),
});
export type NotificationSetting = z.infer<typeof NotificationSetting>;

export const notificationCommands = {
  'notification:set': command({
    summary:
      'Sets what you’re notified about: in a server, channel or conversation, or, with your own id, everywhere. With another person’s id, only `exempt` is allowed: it lets their messages through during do not disturb. `hidden` is only for channels: it hides the channel in your list, and mutes it. Omitted fields stay unchanged; null or false removes a setting. Your other devices receive the change.',
    input: z.strictObject({
      targetId: Id,
      level: NotificationLevel.nullable().optional(),
      muted: z.strictObject({ until: InputTime.optional() }).nullable().optional(),
      hidden: z.boolean().optional(),
      exempt: z.boolean().optional(),
      keywords: Keywords.nullable().optional(),
      quietHours: QuietHours.nullable().optional(),
    }),
    /** Null: the target has no settings. */
    output: z.strictObject({ setting: NotificationSetting.nullable() }),
    errors: ['not_found', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
};
