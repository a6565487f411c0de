import { z } from 'zod';
import { event, Id, Name, PersonId } from './contract.ts';
import { limits } from './limits.ts';

export const UserKind = z.enum(['guest', 'registered', 'bot']);

/** Alphabets that have letters which look like another's. */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/** Nobody passes for another by a letter of another alphabet. */
export const DisplayName = Name(limits.displayName, 'NFKC').refine(
  (name) => alphabets.filter((alphabet) => alphabet.test(name)).length <= 1,
  'Use one alphabet. Mixed look-alike letters aren’t allowed.',
);

/** Somebody, as everyone may know them. Of two with the same id, the one with the higher `rev` is newer. */
export const Person = z.strictObject({
  id: Id,
  name: z.string(),
  /** What the name looks like (Unicode’s TR39), if it is written in letters that are taken for others. */
  skeleton: z.string().optional(),
  /** Unique, and given once: it tells two people of one name apart. Guests and bots have none. */
  username: z.string().optional(),
  kind: UserKind,
  /** The id of their picture, which is read by `GET /files/<avatar>/avatar`. Another picture has another id. */
  avatar: Id.optional(),
  /** A bot's: whose it is. That person comes along with it. */
  ownerId: PersonId.optional(),
  rev: z.int().min(1),
});
export type Person = z.infer<typeof Person>;

/** The people whom rows mention by id; sent along with the rows. */
export const People = z.record(Id, Person);
export type People = z.infer<typeof People>;

export const peopleEvents = {
  people: event({
    summary: 'People’s new names and pictures; the higher `rev` is newer. Lossy.',
    payload: z.strictObject({ people: People }),
  }),
};
