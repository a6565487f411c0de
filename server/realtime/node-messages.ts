/** What nodes tell each other, and how it is read again: a parcel may come from a node of another version. */
import { z } from 'zod';
import type { Change } from '../../shared/changes.ts';
import { Version } from '../../shared/contract.ts';
import { RoomName } from '../../shared/entry.ts';
import { People } from '../../shared/people.ts';
import type { Closing, ServerToClientEvents } from '../../shared/protocol.ts';
import { Typing } from '../../shared/typing.ts';

/** Whose departures concern a room (a server’s, or a conversation’s own), and how many there have been. */
export const Mark = z.object({ scope: z.string(), version: Version });
export type Mark = z.infer<typeof Mark>;

/**
 * Somebody who is out of these rooms of a server, or of all of it or of a group if none is named; without a `userId`,
 * everybody is but those who `stay`.
 */
export const Departure = Mark.extend({
  userId: z.string().optional(),
  rooms: z.array(RoomName).optional(),
  stay: z.array(z.string()).optional(),
  /** Of a room that not everyone in the server knew of. */
  quiet: z.boolean().optional(),
});
export type Departure = z.infer<typeof Departure>;

/** The changes of one room by one commit: versions `from + 1` to `to`. */
export const Envelope = z.object({
  room: RoomName,
  from: Version,
  to: Version,
  changes: z.array(z.looseObject({ type: z.string(), version: Version })) as unknown as z.ZodType<
    Change[]
  >,
  people: People,
  /** Where among the parcel's people its own are, if others have the same. */
  peopleAt: z.int().optional(),
  /** There is more to it than the changes say: who hears of it reads all of the room again. */
  anew: z.boolean().optional(),
  /** The departures that came before: nobody hears this who is among them. */
  mark: Mark.optional(),
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
    })
    .optional(),
});
export type Envelope = z.infer<typeof Envelope>;

/** Somebody is in a server or a conversation more, and begins to read there: up to these positions all counts as read. */
export const Arrival = z.object({ userId: z.string(), read: z.record(z.string(), Version) });
export type Arrival = z.infer<typeof Arrival>;

const News = z.object({
  kind: z.literal('news'),
  /** Of another life of the database nothing is taken. */
  epoch: z.string(),
  envelopes: z.array(Envelope),
  /** Those whom several envelopes bring: a private channel is told to each of its members, with all of them. */
  people: z.array(People).optional(),
  departures: z.array(Departure),
  arrivals: z.array(Arrival),
});

const Word = z.object({
  kind: z.literal('word'),
  rooms: z.array(z.string()),
  event: z.enum(['presence', 'people', 'read']) satisfies z.ZodType<keyof ServerToClientEvents>,
  payload: z.unknown(),
});

/** Somebody is writing. As with what they will have written, nobody hears it who has left before. */
const Writing = z.object({
  kind: z.literal('writing'),
  epoch: z.string(),
  typing: Typing,
  mark: Mark,
});

const Ending = z.object({
  kind: z.literal('ending'),
  sessionIds: z.array(z.string()),
  closing: z.looseObject({ code: z.string() }) as unknown as z.ZodType<Closing>,
});

export const Parcel = z.discriminatedUnion('kind', [News, Word, Writing, Ending]);
export type Parcel = z.infer<typeof Parcel>;

/** Envelopes as they travel: people who are the same object travel once. */
export function packed(envelopes: Envelope[]): Pick<z.infer<typeof News>, 'envelopes' | 'people'> {
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

/** The envelopes of a parcel, each with its people again. */
export const unpacked = ({ envelopes, people = [] }: z.infer<typeof News>): Envelope[] =>
  envelopes.map(({ peopleAt, ...envelope }) =>
    peopleAt === undefined ? envelope : { ...envelope, people: people[peopleAt] ?? {} },
  );
