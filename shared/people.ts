import { z } from 'zod';
import { event, Id, InputTime, Line, Name, PersonId, Time } from './contract.ts';
import { UnicodeEmoji } from './emoji.ts';
import { limits } from './limits.ts';

export const UserKind = z.enum(['guest', 'registered', 'bot']);

/** Alphabets with letters that look like another’s. */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/** Stops impersonation with a look-alike letter of another alphabet. */
export const DisplayName = Name(limits.displayName, 'NFKC').refine(
  (name) => alphabets.filter((alphabet) => alphabet.test(name)).length <= 1,
  'Use one alphabet. Mixed look-alike letters aren’t allowed.',
);

/** A person’s status text, for example 🌴 “Back on Monday”. The text can be empty if there is an emoji. */
export const StatusText = z.strictObject({
  emoji: z.string().optional(),
  text: z.string(),
  /** The status text is hidden from this time on. */
  until: Time.optional(),
});
export type StatusText = z.infer<typeof StatusText>;

export const NewStatusText = z
  .strictObject({
    emoji: UnicodeEmoji.optional(),
    text: Line(limits.statusText),
    until: InputTime.optional(),
  })
  .refine(({ emoji, text }) => emoji !== undefined || text !== '', {
    message: 'Enter a status or choose an emoji.',
    path: ['text'],
  });

/** The public profile of a person. The higher `rev` is newer. */
export const Person = z.strictObject({
  id: Id,
  name: z.string(),
  /** How the name looks (Unicode’s TR39), if its letters can be taken for others. */
  skeleton: z.string().optional(),
  /** Unique, and given once: it distinguishes people with the same name. Absent for guests and bots. */
  username: z.string().optional(),
  kind: UserKind,
  /** The id of their picture, which `GET /files/<avatar>/avatar` returns. A new picture has a new id. */
  avatar: Id.optional(),
  statusText: StatusText.optional(),
  /** The owner of a bot, whose profile is sent along. */
  ownerId: PersonId.optional(),
  rev: z.int().min(1),
});
export type Person = z.infer<typeof Person>;

/** The people that rows mention by id; sent along with the rows. */
export const People = z.record(Id, Person);
export type People = z.infer<typeof People>;

export const peopleEvents = {
  people: event({
    summary: 'People’s new names, pictures and status texts; the higher `rev` is newer. Lossy.',
    payload: z.strictObject({ people: People }),
  }),
};
