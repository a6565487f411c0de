/** Read positions. They are not room state: they belong to one person, on all of their devices. */
import { z } from 'zod';
import { command, event, Id, Position, Time, Version } from './contract.ts';

/** From this position on, the timeline is unread, however far it was read. Null: none. The higher version is newer. */
export const Mark = z.strictObject({ position: Position.nullable(), version: Version });

/** The unread positions of a timeline: after `read`, or from `mark` on, up to `last`, without those in `deleted`. */
export const Badge = z.strictObject({
  last: Position,
  read: Position,
  mark: Mark.optional(),
  /** Unread positions that mention the user; at most the newest `mentionsInBadge`. */
  mentions: z.array(Position),
  /** Positions of deleted messages, which are not unread; at most the newest `deletedInBadge`. */
  deleted: z.array(Position).optional(),
  /** The server of the timeline, for clients that have not opened it. */
  serverId: Id.optional(),
  /** The time of the last message in a conversation, by which it is listed. */
  at: Time.optional(),
});
export type Badge = z.infer<typeof Badge>;

/**
 * By timeline. A channel without unread messages is left out. A conversation with any messages is included, read or
 * not, unless it is hidden. A request with few messages includes all `deleted` positions.
 */
export const Badges = z.record(Id, Badge);
export type Badges = z.infer<typeof Badges>;

/** New messages in a timeline, at the positions after `since` up to `last`, or deleted messages. */
export interface Activity {
  since: number;
  last: number;
  serverId?: string;
  /** By position: whether the message there mentions the recipient now. Sent only to them. */
  mentions?: Record<string, boolean>;
  deleted?: number[];
}

export type Positions = Record<string, number>;

export const ReadPosition = z.strictObject({ timelineId: Id, position: Position });
export type ReadPosition = z.infer<typeof ReadPosition>;

/** A mark that was set or removed, with the other fields that a badge of its timeline needs. */
export const Marking = Mark.extend({
  last: Position,
  serverId: Id.optional(),
  /** The positions of deleted messages from the mark on. */
  deleted: z.array(Position).optional(),
});
export type Marking = z.infer<typeof Marking>;

export const readEvents = {
  read: event({
    summary:
      'Read positions that you reached on another device or by joining, and timelines that you marked as unread. Lossy.',
    payload: z.strictObject({
      timelines: z.record(Id, Position),
      marks: z.record(Id, Marking).optional(),
    }),
  }),
};

export const readCommands = {
  'read:update': command({
    summary:
      'Sets your read position in a timeline. It never moves back, nor past the last message. Your other devices receive the change.',
    input: z.strictObject({ timelineId: Id, position: Position }),
    output: z.strictObject({ read: ReadPosition }),
    errors: ['not_found'],
    rate: 'read',
  }),
  'read:mark': command({
    summary:
      'Marks a timeline as unread from a message on. Null removes the mark; reading doesn’t. Your other devices receive the change.',
    input: z.strictObject({ timelineId: Id, position: Position.min(1).nullable() }),
    output: z.strictObject({ mark: Marking }),
    errors: ['not_found'],
    rate: 'read',
  }),
};
