/** Parses a search for messages: words, "exact phrases" and filters. The server and the page both use it. */
import { foldText } from './folding.ts';

export const hasKinds = ['link', 'image', 'file', 'code'] as const;
export type HasKind = (typeof hasKinds)[number];

export const filterNames = ['from', 'in', 'mentions', 'has', 'before', 'after'] as const;
export type FilterName = (typeof filterNames)[number];

export interface SearchToken {
  start: number;
  end: number;
  /** Absent for a word, or several in quotation marks. */
  filter?: FilterName;
  value: string;
}

export interface SearchQuery {
  /** Folded. A message must contain all of them. */
  words: string[];
  /** Authors as typed; any of them matches. */
  from: string[];
  /** Channels as typed; any of them matches. */
  in: string[];
  /** People as typed; a message must mention all of them. */
  mentions: string[];
  has: HasKind[];
  /** In milliseconds: sent before `before`, and from `after` on. */
  before?: number;
  after?: number;
}

export class QueryProblem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

const isSpace = (letter: string | undefined) => letter !== undefined && /\s/u.test(letter);

/** Splits a query. An unclosed quotation mark lasts until the end. */
export function tokensOf(text: string): SearchToken[] {
  const tokens: SearchToken[] = [];
  for (let at = 0; at < text.length;) {
    if (isSpace(text[at])) {
      at += 1;
      continue;
    }
    const start = at;
    const filter = filterNames.find((name) => startsWith(text, at, `${name}:`));
    if (filter !== undefined) at += filter.length + 1;
    const isQuoted = text[at] === '"';
    if (isQuoted) at += 1;
    const from = at;
    while (at < text.length && !(isQuoted ? text[at] === '"' : isSpace(text[at]))) at += 1;
    const value = text.slice(from, at);
    if (isQuoted) at += 1;
    const end = Math.min(at, text.length);
    tokens.push({ start, end, value, ...(filter !== undefined && { filter }) });
  }
  return tokens;
}

const startsWith = (text: string, at: number, name: string) =>
  text.slice(at, at + name.length).toLowerCase() === name;

/** Bounds words and filters together. */
const maxTokens = 20;
/** Each word is compared with all messages that the others leave, so costs add up. */
const maxWords = 8;

export function readQuery(text: string): SearchQuery | QueryProblem {
  const query: SearchQuery = { words: [], from: [], in: [], mentions: [], has: [] };
  const tokens = tokensOf(text);
  if (tokens.length > maxTokens)
    return new QueryProblem(`Use up to ${maxTokens} words and filters.`);
  for (const token of tokens) {
    const problem = add(query, token);
    if (problem !== undefined) return problem;
  }
  const { words, from, in: places, mentions, has, before, after } = query;
  if (words.length > maxWords)
    return new QueryProblem(`Use up to ${maxWords} words, or quotes for an exact phrase.`);
  const isEmpty = [words, from, places, mentions, has].every((list) => list.length === 0);
  return isEmpty && before === undefined && after === undefined
    ? new QueryProblem('Enter something to search for.')
    : query;
}

function add(query: SearchQuery, { filter, value }: SearchToken): QueryProblem | undefined {
  if (filter === undefined) {
    const word = foldText(value).trim();
    if (word !== '') query.words.push(word);
    return undefined;
  }
  if (value.trim() === '') return new QueryProblem(`Add something after ${filter}:`);
  if (filter === 'has') return addHas(query, value.toLowerCase());
  if (filter === 'before' || filter === 'after') return addTime(query, filter, value);
  query[filter].push(value.trim());
  return undefined;
}

function addHas(query: SearchQuery, value: string): QueryProblem | undefined {
  const kind = hasKinds.find((one) => one === value);
  if (kind === undefined) return new QueryProblem(`has: takes ${hasKinds.join(', ')}.`);
  if (!query.has.includes(kind)) query.has.push(kind);
  return undefined;
}

const day = /^\d{4}-\d\d-\d\d$/;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
const dayMs = 86_400_000;

/** Excludes a day itself, in UTC. A time with an offset is exact, so that a page can send days of its own time zone. */
function addTime(
  query: SearchQuery,
  filter: 'before' | 'after',
  value: string,
): QueryProblem | undefined {
  const isDay = day.test(value);
  const at = isDay || moment.test(value) ? Date.parse(value) : Number.NaN;
  // Rejects 30 February, which some engines parse as 2 March.
  const isReal = isDay && !Number.isNaN(at) ? new Date(at).toISOString().startsWith(value) : true;
  if (Number.isNaN(at) || !isReal)
    return new QueryProblem(`Write the date after ${filter}: as 2026-01-31.`);
  if (filter === 'before') query.before = Math.min(query.before ?? Infinity, at);
  else query.after = Math.max(query.after ?? -Infinity, isDay ? at + dayMs : at);
  return undefined;
}
