/** A search with all names resolved: as a condition for the index, and as a comparison with one message. */
import { hasKinds } from '../../shared/search-query.ts';
import { contentOf } from './content.ts';
import {
  anyPart,
  authorPart,
  hasPart,
  keysIn,
  mentionKey,
  searchPartsOf,
  timelinePart,
} from './keys.ts';
import type { SortKey, Searched } from './store.ts';

export interface Wanted {
  timelineIds: string[];
  /** Folded. */
  words: string[];
  /** Absent if any author matches. */
  authorIds?: string[];
  /** The message mentions at least one user of each list. */
  mentions: string[][];
  has: number;
  /** In microseconds. `from` is included, `until` is not. */
  from: number;
  until: number;
}

/** More timelines than this hold most messages. Then it is faster to check the timeline of each match. */
const maxListed = 64;

/** The parts that the index looks for: all of `all`, and at least one of each list in `any`. */
export interface Parts {
  all: number[];
  any: number[][];
}

export function partsOfWanted({ words, timelineIds, authorIds, mentions, has }: Wanted): Parts {
  const groups = [
    ...(timelineIds.length <= maxListed ? [timelineIds.map(timelinePart)] : []),
    ...(authorIds === undefined ? [] : [authorIds.map(authorPart)]),
    ...mentions.map((ids) => ids.map(mentionKey)),
  ];
  const all = new Set([
    ...words.flatMap((word) => [...searchPartsOf(word)]),
    ...hasKinds.flatMap((_, bit) => ((has >> bit) & 1 ? [hasPart(bit)] : [])),
    ...groups.flatMap((group) => (group.length === 1 ? group : [])),
  ]);
  const any = groups.filter((group) => group.length > 1);
  return { all: all.size > 0 ? [...all] : [anyPart], any };
}

/** True if all matches share a part, which narrows the search down. */
export const isIndexed = ({ all }: Parts): boolean => all[0] !== anyPart;

/** Returns a condition on search_rows. `bind` adds a value and returns its parameter. */
export function conditionOf(
  wanted: Wanted,
  parts: Parts,
  buckets: readonly number[],
  bind: (value: unknown) => string,
): string {
  const inBucket = (bucket: number) =>
    [
      `keys @> ${bind(keysIn(bucket, parts.all))}::integer[]`,
      ...parts.any.map((group) => `keys && ${bind(keysIn(bucket, group))}::integer[]`),
    ].join(' and ');
  const { timelineIds, words, authorIds, mentions, has, from, until } = wanted;
  return [
    `(${buckets.map((bucket) => `(${inBucket(bucket)})`).join(' or ')})`,
    `bucket = any(${bind(buckets)}::integer[])`,
    `timeline_id = any(${bind(timelineIds)}::uuid[])`,
    `at >= ${bind(from)} and at < ${bind(until)}`,
    ...words.map((word) => `strpos(folded, ${bind(word)}) > 0`),
    ...(authorIds === undefined ? [] : [`author_id = any(${bind(authorIds)}::uuid[])`]),
    ...mentions.map((ids) => `mentions && ${bind(ids)}::uuid[]`),
    ...(has === 0 ? [] : [`has & ${bind(has)}::smallint = ${bind(has)}::smallint`]),
  ].join('\n and ');
}

/** The same condition for a message that is not in the index yet. */
export function fits(wanted: Wanted, message: SortKey & Partial<Searched>): boolean {
  const { timelineId, authorId, body, files, at } = message;
  if (typeof timelineId !== 'string' || authorId === undefined || body === undefined) return false;
  if (at < wanted.from || at >= wanted.until) return false;
  if (wanted.authorIds?.includes(authorId) === false) return false;
  const { folded, has, mentions } = contentOf(body, files ?? null);
  return (
    wanted.words.every((word) => folded.includes(word)) &&
    wanted.mentions.every((ids) => ids.some((id) => mentions.includes(id))) &&
    (has & wanted.has) === wanted.has
  );
}
