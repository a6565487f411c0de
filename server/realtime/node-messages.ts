/**
 * The messages between nodes. During an update some nodes run an older version, so kinds and fields keep their old
 * names: `departures` are revocations, `arrivals` are grants, `mark` is an access version, `stay` are the people who
 * keep access, `anew` is a reset, `said` is activity.
 */
import { z } from 'zod';
import type { Change } from '../../shared/changes.ts';
import { RoomName, Version } from '../../shared/contract.ts';
import { People } from '../../shared/people.ts';
import {
  lossyEvents,
  volatileEvents,
  type Closing,
  type LossyEvent,
  type VolatileEvent,
} from '../../shared/protocol.ts';

/** The scope of a room (its server, or the conversation itself), and the number of its revocations so far. */
export const AccessVersion = z.object({ scope: z.string(), version: Version });
export type AccessVersion = z.infer<typeof AccessVersion>;

/** Ended access to `rooms` (all of the scope if absent) for `userId` (everyone except `stay` if absent). */
export const Revocation = AccessVersion.extend({
  userId: z.string().optional(),
  rooms: z.array(RoomName).optional(),
  stay: z.array(z.string()).optional(),
  /** Not everyone in the server knew of these rooms, so their end is not announced to it. */
  quiet: z.boolean().optional(),
});
export type Revocation = z.infer<typeof Revocation>;

/** The changes of one room by one commit: versions `from + 1` to `to`. */
export const Envelope = z.object({
  room: RoomName,
  from: Version,
  to: Version,
  changes: z.array(z.looseObject({ type: z.string(), version: Version })) as unknown as z.ZodType<
    Change[]
  >,
  people: People,
  /** The index of its people among the message's `people`, if other envelopes have the same. */
  peopleAt: z.int().optional(),
  /** The commit cannot be expressed as changes: clients read the whole room again. */
  anew: z.boolean().optional(),
  /** The access version: nodes apply the revocations up to it before they deliver the envelope. */
  mark: AccessVersion.optional(),
  /** Activity: new messages at the positions after `since`, up to `last`, and the read positions of their authors. */
  said: z
    .object({
      since: Version,
      last: Version,
      read: z.record(z.string(), Version),
      /** In a conversation or a private channel. */
      private: z.boolean(),
      /** By person and position: true if they are mentioned there now, false if no longer. */
      mentions: z.record(z.string(), z.record(z.string(), z.boolean())),
      /** By position: true if the message mentions everyone now, false if no longer. */
      calls: z.record(z.string(), z.boolean()).optional(),
      deleted: z.array(Version).optional(),
    })
    .optional(),
});
export type Envelope = z.infer<typeof Envelope>;

/** A person has access to one more server, conversation or channel; messages up to these positions count as read. */
export const Grant = z.object({ userId: z.string(), read: z.record(z.string(), Version) });
export type Grant = z.infer<typeof Grant>;

const Publication = z.object({
  kind: z.literal('news'),
  /** Messages of another epoch of the database are ignored. */
  epoch: z.string(),
  envelopes: z.array(Envelope),
  /** People that several envelopes share, such as the members of a private channel. */
  people: z.array(People).optional(),
  departures: z.array(Revocation),
  arrivals: z.array(Grant),
});

const Broadcast = z.object({
  kind: z.literal('word'),
  rooms: z.array(RoomName),
  event: z.enum(Object.keys(lossyEvents) as [LossyEvent]),
  payload: z.unknown(),
});

/** A volatile event in a room, such as typing. Like a change, it never reaches a user who has lost access. */
const VolatileBroadcast = z.object({
  kind: z.literal('moment'),
  epoch: z.string(),
  room: RoomName,
  event: z.enum(Object.keys(volatileEvents) as [VolatileEvent]),
  payload: z.unknown(),
  userId: z.string(),
  mark: AccessVersion,
});

const SessionsEnded = z.object({
  kind: z.literal('ending'),
  sessionIds: z.array(z.string()),
  closing: z.looseObject({ code: z.string() }) as unknown as z.ZodType<Closing>,
});

export const NodeMessage = z.discriminatedUnion('kind', [
  Publication,
  Broadcast,
  VolatileBroadcast,
  SessionsEnded,
]);
export type NodeMessage = z.infer<typeof NodeMessage>;

/** Prepares envelopes for sending: people that are the same object are sent once. */
export function packed(
  envelopes: Envelope[],
): Pick<z.infer<typeof Publication>, 'envelopes' | 'people'> {
  const uses = new Map<People, number>();
  for (const { people } of envelopes) uses.set(people, (uses.get(people) ?? 0) + 1);
  const shared = [...uses].filter(([, count]) => count > 1).map(([people]) => people);
  if (shared.length === 0) return { envelopes };
  const places = new Map(shared.map((people, place) => [people, place]));
  return {
    people: shared,
    envelopes: envelopes.map((envelope) => {
      const peopleAt = places.get(envelope.people);
      return peopleAt === undefined ? envelope : { ...envelope, people: {}, peopleAt };
    }),
  };
}

export const unpacked = ({ envelopes, people = [] }: z.infer<typeof Publication>): Envelope[] =>
  envelopes.map(({ peopleAt, ...envelope }) =>
    peopleAt === undefined ? envelope : { ...envelope, people: people[peopleAt] ?? {} },
  );
