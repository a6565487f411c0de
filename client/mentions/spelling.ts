/**
 * How mentions look while one writes: `@Name`, where the body has `<@id>`. Beside a name that two people share stands
 * what is theirs alone: `@Name (username)`. Each key reads the whole text again, so no sign in it asks of everybody.
 */
import { mentionMark, mentionOf, namedIn } from '../../shared/mentions.ts';

export interface Somebody {
  userId: string;
  name: string;
  /** Theirs alone: `@username`, or of guests and bots `#` and the end of their id. */
  handle: string;
}

/** Whom names mean that were chosen, or stood in a body: they go on meaning them, whatever people are called since. */
export type ChosenNames = Readonly<Record<string, string>>;

/** Whom a name means. */
export interface Spelling {
  byName: ReadonlyMap<string, string>;
  byId: ReadonlyMap<string, string>;
  /** How long the names are, the longest first: Ann Lee is not Ann. */
  lengths: readonly number[];
}

/** What one writes, and whom the names in it mean. */
export interface WrittenText {
  text: string;
  named: ChosenNames;
}

export function spellingOf(people: readonly Somebody[], named: ChosenNames = {}): Spelling {
  const byId = apart(people);
  const byName = new Map([...byId].map(([userId, name]) => [name, userId]));
  for (const [name, userId] of Object.entries(named)) byName.set(name, userId);
  const lengths = new Set([...byName.keys()].map(({ length }) => length));
  return { byName, byId, lengths: [...lengths].sort((a, b) => b - a) };
}

/** A name for each of them that is nobody else's. */
function apart(people: readonly Somebody[]): Map<string, string> {
  const called = people.map(({ userId, name, handle }) => ({
    userId,
    name,
    full: full(name, handle),
  }));
  const shared = twice(called.map(({ name }) => name));
  const isShared = ({ name }: { name: string }) => shared.has(name);
  // Somebody may be called as others are with what is theirs alone: then they are told from them too.
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

// Without its @, which would begin a mention of its own.
const full = (name: string, handle: string) => `${name} (${handle.replace(/^@/, '')})`;

function twice(names: readonly string[]): Set<string> {
  const once = new Set<string>();
  return new Set(names.filter((name) => once.has(name) || !once.add(name)));
}

/** How somebody is written who was chosen, in a text in which these names mean somebody already. */
export function spell(
  people: readonly Somebody[],
  { userId, name, handle }: Somebody,
  named: ChosenNames,
): string | undefined {
  const spelled = apart(people).get(userId);
  return [spelled, full(name, handle)].find(
    (one) => one !== undefined && (named[one] ?? userId) === userId,
  );
}

const code = /(```[^]*?(?:```|$)|`[^`\n]*`)/;
const wordEnd = /[\p{L}\p{N}_]$/u;
const wordStart = /^[\p{L}\p{N}_]/u;

/** In code an @ is an @, and a # a #. */
export const outsideCode = (text: string, change: (part: string) => string): string =>
  text
    .split(code)
    .map((part, i) => (i % 2 === 1 ? part : change(part)))
    .join('');

/** What was written, as it is sent. */
export const toBody = (text: string, spelling: Spelling): string =>
  text.includes('@') ? outsideCode(text, (part) => replaceNames(part, spelling)) : text;

function replaceNames(text: string, spelling: Spelling): string {
  const [before = '', ...parts] = text.split('@');
  const body = [before];
  for (const part of parts) {
    // What stands directly before the @: a letter has at most two halves.
    const last = body.at(-1)?.slice(-2) ?? '';
    const name = wordEnd.test(last) || last.endsWith('<') ? undefined : nameAt(part, spelling);
    const userId = name === undefined ? undefined : spelling.byName.get(name);
    if (name !== undefined && userId !== undefined)
      body.push(mentionOf(userId) + part.slice(name.length));
    else body.push(`@${part}`);
  }
  return body.join('');
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
 * A body, as its author wrote it; as it is, where that would not lead back to it. `who` says how somebody is called
 * who is not among those whom one may mention.
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
  const named: Record<string, string> = {};
  const text = outsideCode(body, (part) =>
    part.replace(mentionMark, (mention, userId: string) => {
      const name = names.get(userId);
      if (name === undefined) return mention;
      named[name] = userId;
      return `@${name}`;
    }),
  );
  return toBody(text, spellingOf(people, named)) === body ? { text, named } : asItIs;
}
