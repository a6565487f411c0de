/**
 * Mentions in a composer: written as `@Name`, sent as `<@id>`. Names shared by several people get the handle: `@Name
 * (username)`. `@username` works too, unless it is a person's name. The conversion runs over the whole text on each
 * key, so it must be fast for every character.
 */
import { callWords, mentionMark, mentionOf, namedIn } from '../../shared/mentions.ts';
import { replaceDrawn, type Candidate } from './drawn.ts';

export interface Somebody {
  userId: string;
  name: string;
  /** The unique handle: `@username`, or for guests and bots `#` and the end of their id. */
  handle: string;
}

/** The people meant by names that were chosen or that a body had. A renamed person is still meant. */
export type ChosenNames = Readonly<Record<string, string>>;

export interface Spelling {
  byName: ReadonlyMap<string, string>;
  byId: ReadonlyMap<string, string>;
  /** The lengths of all names, longest first, because “Ann Lee” must match before “Ann”. */
  lengths: readonly number[];
}

export interface WrittenText {
  text: string;
  named: ChosenNames;
}

export function spellingOf(people: readonly Somebody[], named: ChosenNames = {}): Spelling {
  const byId = apart(people);
  const byName = new Map([...byId].map(([userId, name]) => [name, userId]));
  for (const [name, userId] of Object.entries(named)) byName.set(name, userId);
  const taken = new Set([...callWords, ...byName.keys(), ...people.map(({ name }) => name)]);
  for (const { userId, handle } of people)
    if (handle.startsWith('@') && !taken.has(handle.slice(1))) byName.set(handle.slice(1), userId);
  const lengths = new Set([...byName.keys()].map(({ length }) => length));
  return { byName, byId, lengths: [...lengths].sort((a, b) => b - a) };
}

function apart(people: readonly Somebody[]): Map<string, string> {
  const called = people.map(({ userId, name, handle }) => ({
    userId,
    name,
    full: full(name, handle),
  }));
  // `@everyone` and `@here` never mean a person, even one with that name.
  const shared = twice([...callWords, ...called.map(({ name }) => name)]);
  const isShared = ({ name }: { name: string }) => shared.has(name);
  // A name that equals another person's name with handle gets the handle, too.
  for (let grows = true; grows;) {
    const taken = new Set(called.filter(isShared).map(({ full }) => full));
    const more = called.filter((one) => !isShared(one) && taken.has(one.name));
    for (const { name } of more) shared.add(name);
    grows = more.length > 0;
  }
  const spelled = called.map((one) => [one.userId, isShared(one) ? one.full : one.name] as const);
  const same = twice(spelled.map(([, name]) => name));
  return new Map(spelled.filter(([, name]) => !same.has(name)));
}

// Without the handle's @, which would begin another mention.
const full = (name: string, handle: string) => `${name} (${handle.replace(/^@/, '')})`;

function twice(names: readonly string[]): Set<string> {
  const once = new Set<string>();
  return new Set(names.filter((name) => once.has(name) || !once.add(name)));
}

/** The spelling of a chosen person in a text where names already have these meanings. */
export function spellingFor(
  people: readonly Somebody[],
  { userId, name, handle }: Somebody,
  named: ChosenNames,
): string | undefined {
  const spelled = apart(people).get(userId);
  return [spelled, full(name, handle)].find(
    (one) => one !== undefined && (named[one] ?? userId) === userId,
  );
}

const wordEnd = /[\p{L}\p{N}_]$/u;
const wordStart = /^[\p{L}\p{N}_]/u;

export const toBody = (text: string, spelling: Spelling): string =>
  replaceDrawn(text, namesIn(text, spelling)).text;

function namesIn(text: string, spelling: Spelling): Candidate[] {
  const found: Candidate[] = [];
  for (let at = text.indexOf('@'); at >= 0;) {
    const next = text.indexOf('@', at + 1);
    const name = nameAt(text.slice(at + 1, next < 0 ? undefined : next), spelling);
    const userId = name === undefined ? undefined : spelling.byName.get(name);
    // The characters before the @: a letter has at most two UTF-16 units.
    const before = found.at(-1)?.end === at ? '' : text.slice(Math.max(0, at - 2), at);
    if (
      name !== undefined &&
      userId !== undefined &&
      !wordEnd.test(before) &&
      !before.endsWith('<')
    )
      found.push({
        ...{ start: at, end: at + 1 + name.length, sign: '@' },
        instead: mentionOf(userId),
      });
    at = next;
  }
  return found;
}

function nameAt(text: string, { byName, lengths }: Spelling): string | undefined {
  for (const length of lengths) {
    if (length > text.length) continue;
    const name = text.slice(0, length);
    if (byName.has(name) && !wordStart.test(text.slice(length, length + 2))) return name;
  }
  return undefined;
}

/**
 * Converts a body to the text that its author wrote; unchanged if that could not be converted back. `who` returns
 * people who cannot be mentioned here.
 */
export function toText(
  body: string,
  people: readonly Somebody[],
  who: (userId: string) => Somebody,
): WrittenText {
  const asItIs = { text: body, named: {} };
  if (!body.includes('<@')) return asItIs;
  const present = new Set(people.map(({ userId }) => userId));
  const others = namedIn(body).filter((userId) => !present.has(userId));
  const names = apart([...people, ...others.map(who)]);
  const marks = [...body.matchAll(mentionMark)].flatMap(({ 0: mark, 1: id = '', index }) => {
    const userId = id.toLowerCase();
    const name = names.get(userId);
    return name === undefined
      ? []
      : [
          {
            start: index,
            end: index + mark.length,
            sign: '@' as const,
            instead: `@${name}`,
            userId,
          },
        ];
  });
  const { text, replaced } = replaceDrawn(body, marks);
  const named = Object.fromEntries(
    replaced.map(({ instead, userId }) => [instead.slice(1), userId]),
  );
  return toBody(text, spellingOf(people, named)) === body ? { text, named } : asItIs;
}
