/** Schemas of the server’s events and of refused handshakes, for the reference and for tests. */
import { z } from 'zod';
import { Account } from './accounts.ts';
import { InstanceRole, SignupPolicy } from './administration.ts';
import { Id, Position, RoomName, Version, type EventContract } from './contract.ts';
import { AnyChange, Snapshot } from './entry.ts';
import { failures, type FailureCode } from './failure.ts';
import { InviteCode, InvitePreview } from './invites.ts';
import { limits } from './limits.ts';
import { quotas } from './quotas.ts';
import { People } from './people.ts';
import { ChosenStatus } from './presence.ts';
import { lossyEvents, volatileEvents, type ServerToClientEvents } from './protocol.ts';
import { Badges } from './reads.ts';

/** The error of every refusal: in acks, in HTTP replies and in the handshake. */
export const Refused = z.strictObject({
  code: z.enum(Object.keys(failures) as [FailureCode]),
  message: z.string(),
  retryable: z.boolean(),
  retryAfterMs: z.int().optional(),
  field: z.string().optional(),
  /** Identifies the request in the server’s log. */
  requestId: z.uuid(),
});

export const Handshake = z.object({
  protocol: z.int().optional(),
  invite: InviteCode.optional(),
  token: z.string().optional(),
});

/** `err.data` of a refused handshake. */
export const RefusedHandshake = Refused.extend({
  name: z.string().optional(),
  registration: SignupPolicy.optional(),
  guests: SignupPolicy.optional(),
  invite: InvitePreview.optional(),
  unclaimed: z.literal(true).optional(),
  supported: z.array(z.int()).optional(),
});

const Numbers = z.strictObject(
  Object.fromEntries(Object.keys({ ...limits, ...quotas }).map((name) => [name, z.int()])),
);

const News = z.strictObject({
  since: Position,
  last: Position,
  serverId: Id.optional(),
  mentions: z.record(z.string().regex(/^\d+$/), z.boolean()).optional(),
  deleted: z.array(Position).optional(),
});

export const serverEvents: Record<keyof ServerToClientEvents, EventContract> = {
  ready: {
    summary:
      'The first event on a socket: a snapshot of your own room, your account, your unread timelines and all limits.',
    payload: Snapshot.extend({
      protocol: z.int(),
      epoch: z.string(),
      node: z.string(),
      client: z.string().optional(),
      limits: Numbers,
      fileBytes: z.int(),
      you: Account,
      administers: InstanceRole.optional(),
      canCreateServers: z.boolean(),
      seenAs: ChosenStatus,
      timelines: Badges,
      moreTimelines: Id.optional(),
    }),
  },
  changes: {
    summary: 'All changes of a room after version `from`, up to `to`.',
    payload: z.strictObject({
      room: RoomName,
      from: Version,
      to: Version,
      changes: z.array(AnyChange),
      people: People,
    }),
  },
  head: {
    summary:
      'The room’s current version. A client that is behind sends `sync`. Null means that you’re no longer in this room.',
    payload: z.strictObject({ room: RoomName, version: Version.nullable() }),
  },
  activity: {
    summary:
      'New and deleted messages in timelines that this socket hasn’t entered. Null means that you no longer have the timeline. Lossy.',
    payload: z.strictObject({ timelines: z.record(Id, News.nullable()) }),
  },
  seenAs: {
    summary: 'The status you chose on another device.',
    payload: z.strictObject({ status: ChosenStatus }),
  },
  ...lossyEvents,
  ...volatileEvents,
  closing: {
    summary: 'The reason why the server closes this socket. Reconnect only if `retry` is true.',
    payload: z.strictObject({
      code: z.enum(['drain', 'renewed', 'slow', 'flood', 'revoked', 'expired', 'unsupported']),
      reason: z.string(),
      retry: z.boolean(),
      retryAfterMs: z.int().optional(),
    }),
  },
};
