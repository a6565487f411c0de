/**
 * How mentions look while one writes: `@Name`, where the body has `<@id>`. A name that two people share says
 * nothing, so theirs stay ids. Each key reads the whole text again, so no sign in it asks of everybody.
 */
import { mentionMark, mentionOf } from '../../shared/mentions.ts';

export interface Somebody {
  userId: string;
  name: string;
}

/** Whom a name means. */
export interface Spelling {
  byName: ReadonlyMap<string, Somebody>;
  byId: ReadonlyMap<string, Somebody>;
  /** How long the names are, the longest first: Ann Lee is not Ann. */
  lengths: readonly number[];
}

export function spellingOf(people: readonly Somebody[]): Spelling {
  const byName = new Map<string, Somebody>();
  const shared = new Set<string>();
  for (const one of people) {
    if (byName.has(one.name)) shared.add(one.name);
    byName.set(one.name, one);
  }
  for (const name of shared) byName.delete(name);
  return {
    byName,
    byId: new Map([...byName.values()].map((one) => [one.userId, one])),
    lengths: [...new Set([...byName.keys()].map(({ length }) => length))].sort((a, b) => b - a),
  };
}

/** How somebody is mentioned in what one writes. */
export const spell = ({ byId }: Spelling, { userId, name }: Somebody): string =>
  byId.has(userId) ? `@${name}` : mentionOf(userId);

const code = /(```[^]*?(?:```|$)|`[^`\n]*`)/;
const wordEnd = /[\p{L}\p{N}_]$/u;
const wordStart = /^[\p{L}\p{N}_]/u;

/** What was written, as it is sent. In code an @ is an @. */
export const toBody = (text: string, spelling: Spelling): string =>
  text.includes('@')
    ? text
        .split(code)
        .map((part, i) => (i % 2 === 1 ? part : replaceNames(part, spelling)))
        .join('')
    : text;

function replaceNames(text: string, spelling: Spelling): string {
  const [before = '', ...parts] = text.split('@');
  const body = [before];
  for (const part of parts) {
    // What stands directly before the @: a letter has at most two halves.
    const last = body.at(-1)?.slice(-2) ?? '';
    const found = wordEnd.test(last) || last.endsWith('<') ? undefined : meant(part, spelling);
    if (found) body.push(mentionOf(found.userId) + part.slice(found.name.length));
    else body.push(`@${part}`);
  }
  return body.join('');
}

function meant(text: string, { byName, lengths }: Spelling): Somebody | undefined {
  for (const length of lengths) {
    const one = length > text.length ? undefined : byName.get(text.slice(0, length));
    if (one && !wordStart.test(text.slice(length, length + 2))) return one;
  }
  return undefined;
}

/** A body, as its author wrote it; as it is, where that would not lead back to it. */
export function toText(body: string, spelling: Spelling): string {
  if (!body.includes('<@')) return body;
  const text = body.replace(mentionMark, (mention, userId: string) => {
    const one = spelling.byId.get(userId);
    return one ? `@${one.name}` : mention;
  });
  return toBody(text, spelling) === body ? text : body;
}
