/**
 * How mentions look while one writes: `@Name`, where the body has `<@id>`. A name that two people share says
 * nothing, so theirs stay ids.
 */
import { mentionOf } from '../../shared/mentions.ts';

export interface Somebody {
  userId: string;
  name: string;
}

/** Whom a name means, the longest name first: Ann Lee is not Ann. */
export type Spelling = readonly Somebody[];

export function spellingOf(people: readonly Somebody[]): Spelling {
  const byName = new Map<string, Somebody[]>();
  for (const one of people) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  return [...byName.values()]
    .filter((namesakes) => namesakes.length === 1)
    .flat()
    .sort((a, b) => b.name.length - a.name.length);
}

/** How somebody is mentioned in what one writes. */
export const spell = (spelling: Spelling, { userId, name }: Somebody): string =>
  spelling.some((one) => one.userId === userId) ? `@${name}` : mentionOf(userId);

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
  return parts.reduce((body, part) => {
    const found = wordEnd.test(body) || body.endsWith('<') ? undefined : meant(part, spelling);
    return found
      ? body + mentionOf(found.userId) + part.slice(found.name.length)
      : `${body}@${part}`;
  }, before);
}

const meant = (text: string, spelling: Spelling) =>
  spelling.find(({ name }) => text.startsWith(name) && !wordStart.test(text.slice(name.length)));

/** A body, as its author wrote it; as it is, where that would not lead back to it. */
export function toText(body: string, spelling: Spelling): string {
  if (!body.includes('<@')) return body;
  const text = spelling.reduce(
    (text, { userId, name }) => text.replaceAll(mentionOf(userId), `@${name}`),
    body,
  );
  return toBody(text, spelling) === body ? text : body;
}
