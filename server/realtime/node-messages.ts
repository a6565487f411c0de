/**
 * What nodes send each other, and how it is read. A message may come from a node of an older version, so its fields keep
 * the names that they have there: `mark` is an access version, `stay` are the people who keep access.
 */
import { z } from 'zod';
import type { Change } from '../../shared/changes.ts';
import { Version } from '../../shared/contract.ts';
import { RoomName } from '../../shared/entry.ts';
import { People } from '../../shared/people.ts';
import {
  volatileEvents,
  type Closing,
  type ServerToClientEvents,
  type VolatileEvent,
} from '../../shared/protocol.ts';

/** The scope whose revocations concern a room (a server, or the conversation itself), and how many it has had. */
export const AccessVersion = z.object({ scope: z.string(), version: Version });
export type AccessVersion = z.infer<typeof AccessVersion>;

/**
 * Takes a person out of these rooms of a server, or out of all of it or out of a group if none is named; without a
 * `userId`, everybody but those who `stay`.
 */
export const Revocation = AccessVersion.extend({
  userId: z.string().optional(),
  rooms: z.array(RoomName).optional(),
  stay: z.array(z.string()).optional(),
  /** Of a room that not everyone in the server knew of. */
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
  /** Where among the message's people its own are, if others have the same. */
  peopleAt: z.int().optional(),
  /** There is more to it than the changes say: who hears of it reads all of the room again. */
  anew: z.boolean().optional(),
  /** The revocations that came before: nobody named by one of them hears this. */
  mark: AccessVersion.optional(),
  /** What was said: the positions after `since`, up to `last`, and how far its authors have read by writing. */
  said: z
    .object({
      since: Version,
      last: Version,
      read: z.record(z.string(), Version),
      /** Said in a conversation, or where not everyone in the server may hear it. */
      private: z.boolean(),
      /** By person and position: who is mentioned where now, or no longer. */
      mentions: z.record(z.string(), z.record(z.string(), z.boolean())),
      /** By position: whether everyone is called there now, or no longer. */
      calls: z.record(z.string(), z.boolean()).optional(),
    })
    .optional(),
});
export type Envelope = z.infer<typeof Envelope>;

/** Lets a person into one more server or conversation; up to these positions all counts as read. */
export const Grant = z.object({ userId: z.string(), read: z.record(z.string(), Version) });
export type Grant = z.infer<typeof Grant>;

const Publication = z.object({
  kind: z.literal('news'),
  /** Of another life of the database nothing is taken. */
  epoch: z.string(),
  envelopes: z.array(Envelope),
  /** Those whom several envelopes bring: a private channel is told to each of its members, with all of them. */
  people: z.array(People).optional(),
  departures: z.array(Revocation),
  arrivals: z.array(Grant),
});

/** A lossy event for rooms. */
const Broadcast = z.object({
  kind: z.literal('word'),
  rooms: z.array(RoomName),
  event: z.enum(['presence', 'people', 'read']) satisfies z.ZodType<keyof ServerToClientEvents>,
  payload: z.unknown(),
});

/** What a person does at this moment, for the others in a room. As with messages, who has lost access hears nothing. */
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

/** Envelopes as they travel: people who are the same object travel once. */
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

/** The envelopes of a publication, each with its people again. */
export const unpacked = ({ envelopes, people = [] }: z.infer<typeof Publication>): Envelope[] =>
  envelopes.map(({ peopleAt, ...envelope }) =>
    peopleAt === undefined ? envelope : { ...envelope, people: people[peopleAt] ?? {} },
  );
