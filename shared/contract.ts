/** The building blocks of every feature’s contract. Zod stays on the server; the client imports only types. */
import { z } from 'zod';
import type { SpecificCode } from './failure.ts';
import { limits, type CommandRate } from './limits.ts';

export interface Contract<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** One sentence for the reference. */
  summary: string;
  input: I;
  output: O;
  /** The errors that it can answer with, besides the general ones; test/fuzz/refusals.test.ts proves each. */
  errors: readonly SpecificCode[];
  rate: CommandRate;
  /** The points of its rate that an input costs, if the work depends on the input: an integer from 1. */
  cost?(input: z.output<I>): number;
  /**
   * False lets a command run without waiting for earlier ones of its account, so that writing does not wait for a page.
   * Only for commands that are fast or have a bounded queue of their own (messages/writer.ts,
   * admission/lanes.ts), and whose rate limits each account.
   */
  queued?: false;
  /** Refuses bots. */
  who?: 'people';
  /** `METHOD /path/[inputKey]`, or several routes: see server/http/gateway.ts. */
  http?: string | readonly string[];
}

export const command = <I extends z.ZodType, O extends z.ZodType>(contract: Contract<I, O>) =>
  contract;

/** An event that the server sends unprompted. If a feature declares it, it can get lost and is not repeated. */
export interface EventContract<P extends z.ZodType = z.ZodType> {
  summary: string;
  payload: P;
}

export const event = <P extends z.ZodType>(contract: EventContract<P>) => contract;

/** An event about what a person does at this moment, for the others in a room. */
export interface MomentaryContract<P extends z.ZodType = z.ZodType> extends EventContract<P> {
  /** In `ms` milliseconds, a node sends the events of up to `people` people of a room, one of each. */
  pace: { people: number; ms: number };
}

export const momentaryEvent = <P extends z.ZodType>(contract: MomentaryContract<P>) => contract;

export const httpRoutesOf = ({ http = [] }: Contract): readonly string[] =>
  typeof http === 'string' ? [http] : http;

export const successOf = (method: string): number => ({ POST: 201, DELETE: 204 })[method] ?? 200;

export const RoomName = z
  .templateLiteral([z.enum(['user', 'server', 'timeline']), ':', z.uuid()])
  .refine((room) => room === room.toLowerCase(), 'This isn’t a room.');

/** Joins tables. A name that is in two of them does not compile. */
export function disjoint<const T extends readonly object[]>(
  tables: readonly [...T] & Disjoint<T>,
): Joined<T> {
  return Object.fromEntries(tables.flatMap((table) => Object.entries(table))) as Joined<T>;
}

type Joined<T extends readonly object[]> = T extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? First & Joined<Rest>
  : object;

/** Each table, with the names of earlier tables forbidden. */
type Disjoint<T extends readonly object[], Named = never> = T extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? readonly [First & { [K in Named & keyof First]: never }, ...Disjoint<Rest, Named | keyof First>]
  : readonly [];

export const Nothing = z.strictObject({});

/** Lower case, because PostgreSQL writes ids in lower case. */
const anId = () => z.uuid('This isn’t an ID.').transform((id) => id.toLowerCase());

export const Id = anId();

/** The id of a person that the client might not know, so their profile is sent along in `people`: see person-ids.ts. */
export const PersonId = anId();

/** An id that the client creates. Version 7, because ids in order of time keep the indexes small. */
export const NewId = z.uuidv7('This isn’t a version 7 UUID.').transform((id) => id.toLowerCase());

export const Version = z.int().min(0);
export const Position = z.int().min(0);
/** A place in an order that people chose. An item put there moves the present one, and all below it, down. */
export const SortPosition = z.number().min(-1e9).max(1e9);
export const PageSize = z.int().min(1).max(limits.page);
/** A page of a list in order of ids: the items after the last one of the previous page. */
export const pageAfter = { after: Id.optional(), limit: PageSize.optional() };
/** Whether items follow. A page has as many items as requested, or as fit one answer. */
export const More = z.strictObject({ after: z.boolean() });
export const Time = z.iso.datetime();

const length = (text: string) => [...text].length;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

// Control, format (bidi marks and overrides, zero width, tags) and private use characters, line and paragraph
// separators, characters that are ignorable where they stand (variation selectors, fillers), and three characters that
// fonts draw as nothing.
const hiddenCharacter =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/u;
const visibleCharacter = /[\p{L}\p{N}\p{P}\p{S}]/u;
const stackedMarks = /\p{M}{5}/u;
/** Joiners, selectors and tags are allowed only in emoji. A RegExp call: TypeScript has the flag `v` from es2024 on. */
const emoji = new RegExp('\\p{RGI_Emoji}', 'gv');

/**
 * Joiners that shape letters, and so are visible (RFC 5892, CONTEXTJ): after a virama, and between Arabic letters that
 * would join. Bengali also writes one before the virama.
 * Each pattern starts with the joiner, because a lookbehind at every character takes quadratic time on a run of marks.
 */
const viramas =
  '\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0f84\u1039\u103a\u17d2\u1b44\ua9c0';
/** Arabic letters that never join the next one. */
const unjoined =
  '\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d5';
const shapingJoiner = new RegExp(
  [
    `[\\u200c\\u200d](?<=[${viramas}].)`,
    '\\u200d(?<=\\u09b0.)(?=\\u09cd\\u09af)',
    `\\u200c(?<=(?![${unjoined}])\\p{Script=Arabic}\\p{M}*.)(?=\\p{Script=Arabic})`,
  ].join('|'),
  'gu',
);

const hidesNothing = (name: string) => {
  const written = name.replace(emoji, '').replace(shapingJoiner, '');
  return !hiddenCharacter.test(written) && !stackedMarks.test(written);
};

/**
 * Text of at most `units` UTF-16 units, checked before all else. Zod’s own `.max` measures anything that has a
 * `length`, and throws a TypeError at `{ length: { valueOf: null } }`.
 */
export const Bounded = (units: number, message: string) =>
  z.string().refine((text) => text.length <= units, message);

const notATime = 'This isn’t a time, such as 2026-01-31T12:00:00Z.';

/**
 * A time in a request, from the year 1, because PostgreSQL has no year 0. Parsed to milliseconds in UTC, because times are
 * compared as text, and the fraction of a second can have any length.
 */
export const InputTime = Bounded(40, notATime)
  .refine((text) => !text.startsWith('0000') && Time.safeParse(text).success, notATime)
  .transform((text) => new Date(text).toISOString())
  .meta({ format: 'date-time', examples: ['2026-01-31T12:00:00Z'] });

/** A list of limited length. Uses `refine` for the same reason as `Bounded`. */
export const List = <T extends z.ZodType>(item: T, max: number, min = 0) =>
  z
    .array(item)
    .refine((list) => list.length >= min, `Use at least ${min}.`)
    .refine((list) => list.length <= max, `Use at most ${max} at a time.`);

export const Ids = (max: number, min = 0) => List(Id, max, min);

/**
 * A name that people see: 1 to `max` characters, at least one of them visible, none hidden. Names of places are stored
 * in NFC, which keeps ① and ™. Names of people are stored in NFKC, so that one name cannot be written in several ways
 * that look alike.
 */
export const Name = (max: number, form: 'NFC' | 'NFKC' = 'NFC') =>
  Bounded(max * 8, `Use at most ${max} characters.`)
    .refine((text) => !loneSurrogate.test(text), 'This text isn’t valid Unicode.')
    .transform((text) => text.normalize(form))
    .pipe(
      z
        .string()
        .refine((text) => length(text) >= 1, 'Use at least one character.')
        .refine((text) => length(text) <= max, `Use at most ${max} characters.`)
        .refine((text) => text.trim() === text, 'A name can’t start or end with a space.')
        .refine(hidesNothing, 'Names can’t contain hidden characters.')
        .refine(
          (text) => visibleCharacter.test(text),
          'Use at least one letter, number or symbol.',
        ),
    )
    // Published schemas do not include refinements, so the lengths are repeated here.
    .meta({ minLength: 1, maxLength: max });

/** A line of text that can be empty: in NFKC, trimmed, without hidden characters. */
export const Line = (max: number) =>
  Bounded(max * 8, `Use at most ${max} characters.`)
    .refine((text) => !loneSurrogate.test(text), 'This text isn’t valid Unicode.')
    .transform((text) => text.normalize('NFKC').trim())
    .pipe(
      z
        .string()
        .refine((text) => length(text) <= max, `Use at most ${max} characters.`)
        .refine(hidesNothing, 'Use no hidden characters.'),
    )
    .meta({ maxLength: max });

/** Exactly one of two keys. `meta` repeats the rule for published schemas, which do not include refinements. */
export const withOne = <T extends z.ZodObject>(
  input: T,
  [first, second]: [keyof z.output<T> & string, keyof z.output<T> & string],
) =>
  input
    .refine((given) => (given[first] === undefined) !== (given[second] === undefined), {
      message: `Use either ${first} or ${second}.`,
      path: [first],
    })
    .meta({
      description: `Exactly one of ${first} and ${second}.`,
      oneOf: [{ required: [first] }, { required: [second] }],
    });

/** Text that is stored exactly as sent. */
export const Text = (max: number) =>
  Bounded(max * 2, `Use at most ${max} characters.`)
    .refine((text) => length(text) <= max, `Use at most ${max} characters.`)
    .refine(
      (text) => !text.includes('\0') && !loneSurrogate.test(text),
      'This text isn’t valid Unicode.',
    )
    .meta({ maxLength: max });
