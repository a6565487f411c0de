/** Suggestions at the caret: filters, or values of a filter. */
import {
  filterNames,
  hasKinds,
  tokensOf,
  type FilterName,
  type SearchToken,
} from '../../shared/search-query.ts';
import { isoDay, startOfDay } from '../ui/days.ts';

export interface Suggestion {
  key: string;
  text: string;
  about: string;
  written: string;
}

const abouts: Record<FilterName, string> = {
  from: 'Sent by someone',
  in: 'In a channel',
  mentions: 'Mentions someone',
  has: 'Link, image, file or code',
  before: 'Before a day',
  after: 'After a day',
};

export const tokenAt = (text: string, caret: number): SearchToken | undefined =>
  tokensOf(text).find(({ start, end }) => start < caret && caret <= end);

export interface KnownNames {
  people: readonly { id: string; name: string; username?: string | undefined }[];
  channels: readonly { id: string; name: string; about: string }[];
}

const maxSuggested = 8;

export function suggestFor(
  token: SearchToken | undefined,
  called: KnownNames,
  now: Date,
): Suggestion[] {
  if (token === undefined) return filterNames.map(asFilter);
  const { filter } = token;
  const typed = token.value.toLowerCase().replace(/^[@#]/, '');
  if (filter === undefined)
    return typed === '' ? [] : filterNames.filter((name) => name.startsWith(typed)).map(asFilter);
  const fitting = valuesOf(filter, called, now).filter(({ text, about }) =>
    [text, about].some((one) => one.toLowerCase().includes(typed)),
  );
  // A complete value needs no suggestions, which would cover the results.
  return fitting.length === 1 && fitting[0]?.text === typed ? [] : fitting.slice(0, maxSuggested);
}

const asFilter = (name: FilterName): Suggestion => ({
  key: name,
  text: `${name}:`,
  about: abouts[name],
  written: `${name}:`,
});

function valuesOf(filter: FilterName, { people, channels }: KnownNames, now: Date): Suggestion[] {
  const one = (key: string, text: string, about: string, value: string): Suggestion => ({
    ...{ key, text, about },
    written: `${filter}:${quoted(value)} `,
  });
  if (filter === 'has') return hasKinds.map((kind) => one(kind, kind, '', kind));
  if (filter === 'in') return channels.map(({ id, name, about }) => one(id, name, about, name));
  if (filter === 'before' || filter === 'after')
    return days(now).map(({ text, value }) => one(value, text, value, value));
  return [
    one('me', 'me', 'You', 'me'),
    ...people.map(({ id, name, username }) =>
      one(id, name, username === undefined ? '' : `@${username}`, username ?? name),
    ),
  ];
}

const quoted = (value: string) => (/\s/.test(value) ? `"${value}"` : value);

const days = (now: Date) =>
  [
    ['Today', 0],
    ['Yesterday', 1],
    ['A week ago', 7],
    ['A month ago', 30],
    ['A year ago', 365],
  ].map(([text, ago]) => ({
    text: String(text),
    value: isoDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - Number(ago))),
  }));

/** Replaces days by the time when they begin, because days are in the browser's time zone. */
export function withMoments(text: string): string {
  let written = '';
  let at = 0;
  for (const { start, end, filter, value } of tokensOf(text)) {
    // Left as typed if the date is invalid, for example 30 February: the server refuses it.
    const date = startOfDay(value);
    if ((filter !== 'before' && filter !== 'after') || date === undefined) continue;
    if (filter === 'after') date.setDate(date.getDate() + 1);
    written += `${text.slice(at, start)}${filter}:${date.toISOString()}`;
    at = end;
  }
  return written + text.slice(at);
}
