/** What a search is after, with all names resolved: as it is asked of the index, and as one message is compared. */
import { hasKinds } from '../../shared/search-query.ts';
import { contentOf } from './content.ts';
import {
  anyPart,
  authorPart,
  hasPart,
  keysIn,
  mentionPart,
  searchPartsOf,
  timelinePart,
} from './keys.ts';
import type { SortKey, Searched } from './store.ts';

export interface Wanted {
  timelineIds: string[];
  /** Folded. */
  words: string[];
  /** By one of these; absent: by anybody. */
  authorIds?: string[];
  /** Of each of these lists, somebody is mentioned. */
  mentions: string[][];
  /** Bits. */
  has: number;
  /** In microseconds: sent at that time or later, and before. */
  from: number;
  until: number;
}

/** Many timelines are most of what there is: then it is quicker to look at what is found. */
const maxListed = 64;

/** What the index is asked: what all are found by, and of what each at least one. */
export interface Parts {
  all: number[];
  any: number[][];
}

export function partsOfWanted({ words, timelineIds, authorIds, mentions, has }: Wanted): Parts {
  const groups = [
    ...(timelineIds.length <= maxListed ? [timelineIds.map(timelinePart)] : []),
    ...(authorIds === undefined ? [] : [authorIds.map(authorPart)]),
    ...mentions.map((ids) => ids.map(mentionPart)),
  ];
  const all = new Set([
    ...words.flatMap((word) => [...searchPartsOf(word)]),
    ...hasKinds.flatMap((_, bit) => ((has >> bit) & 1 ? [hasPart(bit)] : [])),
    ...groups.flatMap((group) => (group.length === 1 ? group : [])),
  ]);
  const any = groups.filter((group) => group.length > 1);
  return { all: all.size > 0 ? [...all] : [anyPart], any };
}

/** Whether words or people narrow it down, or all messages have to be compared. */
export const isIndexed = ({ all }: Parts): boolean => all[0] !== anyPart;

/** A condition on rows of search_rows, with its values: `bind` puts one among them, and says where. */
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

/** The same of a message that the index does not have yet. */
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
