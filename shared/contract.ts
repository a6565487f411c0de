/** The pieces that every feature's contract is made of. Zod lives on the server; the client imports types only. */
import { z } from 'zod';
import type { SpecificCode } from './failure.ts';
import { limits, type CommandRate } from './limits.ts';

/** One command: what goes in, what comes out, how fast, and the HTTP route to the same thing, if there is one. */
export interface Contract<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** One sentence for the reference. */
  summary: string;
  input: I;
  output: O;
  /** What it may be refused with, beside what any command may be. What is said is what is answered: test/refusals.test.ts. */
  errors: readonly SpecificCode[];
  rate: CommandRate;
  /** How many points of its rate an input costs, for a command whose work depends on it: a whole number from 1. */
  cost?(input: z.output<I>): number;
  /**
   * It does not wait for what its account asked before, so that what is written stands behind no page: it is fast, or has
   * a bounded queue of its own (messages/writer.ts, admission/transfer-queues.ts), and its rate limits each account.
   */
  queued?: false;
  /** Bots are refused. */
  who?: 'people';
  /** `METHOD /path/[inputKey]`, or several routes: see server/http/gateway.ts. */
  http?: string | readonly string[];
}

export const command = <I extends z.ZodType, O extends z.ZodType>(contract: Contract<I, O>) =>
  contract;

/** What the server says by itself, and for a moment only: it may get lost, and is never said again. */
export interface EventContract<P extends z.ZodType = z.ZodType> {
  /** One sentence for the reference. */
  summary: string;
  payload: P;
}

export const event = <P extends z.ZodType>(contract: EventContract<P>) => contract;

/** What a person does at a moment, for the others in a room. */
export interface MomentaryContract<P extends z.ZodType = z.ZodType> extends EventContract<P> {
  /** A node lets out the events of so many people of a room, one of each, in so many milliseconds. */
  pace: { people: number; ms: number };
}

export const momentaryEvent = <P extends z.ZodType>(contract: MomentaryContract<P>) => contract;

/** The HTTP routes of a command. */
export const httpRoutesOf = ({ http = [] }: Contract): readonly string[] =>
  typeof http === 'string' ? [http] : http;

/** The status with which a route answers success; 204 says nothing more. */
export const successOf = (method: string): number => ({ POST: 201, DELETE: 204 })[method] ?? 200;

/** The name of a room: see rooms.ts. */
export const RoomName = z
  .templateLiteral([z.enum(['user', 'server', 'timeline']), ':', z.uuid()])
  .refine((room) => room === room.toLowerCase(), 'This isn’t a room.');

/** Joins tables whose names must not clash: a name in two of them does not compile. */
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

/** Each table, with what has been named before it made impossible. */
type Disjoint<T extends readonly object[], Named = never> = T extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? readonly [First & { [K in Named & keyof First]: never }, ...Disjoint<Rest, Named | keyof First>]
  : readonly [];

export const Nothing = z.strictObject({});

/** PostgreSQL writes them in lower case, so we read them so. */
const anId = () => z.uuid('This isn’t an ID.').transform((id) => id.toLowerCase());

/** Any identifier. */
export const Id = anId();

/** The id of somebody whom a client may not know: it is told with `people`, which says who that is. See person-ids.ts. */
export const PersonId = anId();

/** An id that its author makes. Version 7, because ids in order of time keep the indexes small. */
export const NewId = z.uuidv7('This isn’t a version 7 UUID.').transform((id) => id.toLowerCase());

export const Version = z.int().min(0);
export const Position = z.int().min(0);
/** A place in an order that people gave: what is there, and all below it, gives way. */
export const SortPosition = z.number().min(-1e9).max(1e9);
export const PageSize = z.int().min(1).max(limits.page);
/** Which page of a list in the order of ids: what comes after the last of the page before. */
export const pageAfter = { after: Id.optional(), limit: PageSize.optional() };
/** Whether there is more. A page has as many as were asked for, or as fit one answer. */
export const More = z.strictObject({ after: z.boolean() });
export const Time = z.iso.datetime();

const length = (text: string) => [...text].length;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

// Control, format (bidi marks and overrides, zero width, tags), private use, line and paragraph separators, all
// that may be ignored where it stands (variation selectors, fillers), and three signs that fonts draw as nothing.
const hiddenCharacter =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/u;
const visibleCharacter = /[\p{L}\p{N}\p{P}\p{S}]/u;
const stackedMarks = /\p{M}{5}/u;
/** Emoji as keyboards make them: only there do joiners, selectors and tags belong. TypeScript knows `v` from es2024 on. */
const emoji = new RegExp('\\p{RGI_Emoji}', 'gv');

/**
 * Joiners where they shape letters, and so are seen (RFC 5892, CONTEXTJ): behind a virama, and between Arabic letters
 * that would join. Bengali writes one before the virama, too.
 * Each pattern starts with the joiner. A lookbehind at every character would take quadratic time on a run of marks.
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
 * Text that is not longer than anybody needs, checked before all else. Zod's own `.max` would measure whatever
 * has a `length`, text or not, and throws a TypeError at `{ length: { valueOf: null } }`.
 */
export const Bounded = (units: number, message: string) =>
  z.string().refine((text) => text.length <= units, message);

/** Ids of many. Measured as text is, and for the same reason. */
export const Ids = (max: number, min = 0) =>
  z
    .array(Id)
    .refine((ids) => ids.length >= min, `Give at least ${min}.`)
    .refine((ids) => ids.length <= max, `Use at most ${max} at a time.`);

/**
 * A name that people see: something visible, nothing hidden in it, no more than `max` characters. Stored in NFC,
 * which leaves a place its ① and ™; of people in NFKC, or one name could be written in several ways that look alike.
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
    // Refinements say nothing to the published schemas; this does.
    .meta({ minLength: 1, maxLength: max });

/** A line that people read, and that may be empty: in NFKC, nothing hidden in it, no spaces around it. */
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

/** An input with exactly one of these keys. What the published schemas say beside it, refinements cannot tell them. */
export const withOne = <T extends z.ZodObject>(
  input: T,
  [first, second]: [keyof z.output<T> & string, keyof z.output<T> & string],
) =>
  input
    .refine((given) => (given[first] === undefined) !== (given[second] === undefined), {
      message: `Give one of ${first} and ${second}.`,
      path: [first],
    })
    .meta({
      description: `Exactly one of ${first} and ${second}.`,
      oneOf: [{ required: [first] }, { required: [second] }],
    });

/** Text kept exactly as sent. */
export const Text = (max: number) =>
  Bounded(max * 2, `Use at most ${max} characters.`)
    .refine((text) => length(text) <= max, `Use at most ${max} characters.`)
    .refine(
      (text) => !text.includes('\0') && !loneSurrogate.test(text),
      'This text isn’t valid Unicode.',
    )
    .meta({ maxLength: max });
