/** How far people have read. No room's state: it is one person's, on all of their devices. */
import { z } from 'zod';
import { command, Id, Position, Time } from './contract.ts';

/** What is unread in a timeline: the positions after `read`, up to `last`. */
export const Badge = z.strictObject({
  last: Position,
  read: Position,
  /** Those of them that mention one; of very many the newest. */
  mentions: z.array(Position),
  /** Where the timeline is, for whoever has not opened that. */
  serverId: Id.optional(),
  /** When the last was said: in a conversation, which is listed by it. */
  at: Time.optional(),
});
export type Badge = z.infer<typeof Badge>;

/**
 * By timeline. One that is not in it has been read to its end. Each conversation in which anything was said is
 * in it, read or not, unless it is hidden.
 */
export const Badges = z.record(Id, Badge);
export type Badges = z.infer<typeof Badges>;

/** Something was said in a timeline: the positions after `since`, up to `last`. */
export interface Activity {
  since: number;
  last: number;
  serverId?: string;
  /** Told to one alone, by position: what was said there mentions them now, or no longer. */
  mentions?: Record<string, boolean>;
}

/** By timeline. */
export type Positions = Record<string, number>;

/** Somebody has read a timeline up to this position. */
export const Reading = z.strictObject({ timelineId: Id, position: Position });
export type Reading = z.infer<typeof Reading>;

export const readCommands = {
  'read:update': command({
    summary:
      'Sets how far you’ve read. It never goes back, nor past the last message. Your other devices are told.',
    input: z.strictObject({ timelineId: Id, position: Position }),
    output: z.strictObject({ read: Reading }),
    errors: ['not_found'],
    rate: 'read',
  }),
};
