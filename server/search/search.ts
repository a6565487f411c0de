import type { FoundChannel } from '../../shared/channels.ts';
import { limits } from '../../shared/limits.ts';
import { Message } from '../../shared/messages.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import type { Hit } from '../../shared/search.ts';
import { QueryProblem, readQuery, type SearchQuery } from '../../shared/search-query.ts';
import { invalid } from '../../shared/failure.ts';
import { peopleMentioned } from '../people/people.ts';
import { readTransaction, type Db } from '../database/database.ts';
import type { RowQuery } from '../messages/part.ts';
import { readMessages } from '../messages/messages.ts';
import type { Caller } from '../caller.ts';
import { searchPartsOf } from './keys.ts';
import { resolve } from './resolve.ts';
import type { SortKey } from './store.ts';
import { walk, type Reach, type Walked } from './walk.ts';
import type { Wanted } from './wanted.ts';

/** In milliseconds. After that a search returns what it has found, and a cursor. */
const pageMs = 30;
/** The newest matches to sort, best first. No time limit, because every page must sort the same ones. */
const ranked: Pick<Reach, 'enough' | 'steps'> = { enough: 200, steps: 5 };

const newestOfAll: SortKey = {
  at: Number.MAX_SAFE_INTEGER,
  id: '00000000-0000-0000-0000-000000000000',
};

/** Reads rights, matches and messages in one snapshot. */
export async function searchMessages(
  caller: Caller,
  {
    query: text,
    before,
    order = 'newest',
    limit = limits.searchHits,
    ...where
  }: Parsed<'message:search'>,
): Promise<Output<'message:search'>> {
  const { node, db, user } = caller;
  const query = readQuery(text);
  if (query instanceof QueryProblem) throw invalid(query.message, 'query');
  if (user.kind === 'guest') await node.limits.take('guestFind', user.id);
  if (readsAll(query) && where.timelineId === undefined)
    await node.limits.take('find', user.id, moreForAll);
  return readTransaction(db, async (db) => {
    const { wanted, channels } = await resolve(db, caller, where, query);
    const from = before === undefined ? { place: newestOfAll, skip: 0 } : readCursor(before);
    const page = await (order === 'best' ? bestFirst : newestFirst)(db, wanted, from, limit);
    const messages = await readHits(db, page.ids);
    const hits = hitsOf(page.ids, messages);
    const last = hits.at(-1)?.message.id;
    // Hits that do not fit come with the next page.
    const isCut = last !== undefined && last !== page.ids.at(-1);
    const more = isCut ? page.cursorAfter(last) : page.more;
    const shown = hits.flatMap(({ message, ...around }) => [
      message,
      ...around.before,
      ...around.after,
    ]);
    return {
      hits,
      people: await peopleMentioned(db, shown, personIdsIn(Message)),
      channels: channelsOfHits(hits, channels),
      atLeast: Math.max(page.atLeast, hits.length),
      ...(more !== undefined && { more }),
    };
  });
}

/** Extra points for a search that the index does not narrow down. */
const moreForAll = 9;

/** True when no filter except dates is set and no word is long enough for the index: every message is compared. */
const readsAll = ({ words, from, in: places, mentions, has }: SearchQuery): boolean =>
  words.length > 0 &&
  words.every((word) => searchPartsOf(word).size === 0) &&
  [from, places, mentions, has].every((filters) => filters.length === 0);

interface Page {
  ids: string[];
  atLeast: number;
  more?: string;
  cursorAfter: (id: string) => string;
}

interface From {
  place: SortKey;
  /** How many of the best matches earlier pages had. */
  skip: number;
}

async function newestFirst(db: Db, wanted: Wanted, { place }: From, limit: number): Promise<Page> {
  const reach = { enough: limit, ms: pageMs, steps: Infinity };
  const { found, atLeast, end } = await look(db, wanted, { before: place, isRanked: false }, reach);
  return {
    ids: found.map(({ id }) => id),
    atLeast,
    ...(end && { more: cursorOf(end) }),
    cursorAfter: (id) => cursorOf(found.find((one) => one.id === id) ?? place),
  };
}

/** Sorts a stretch of matches, best first, and returns it page by page. Then goes on with the next stretch. */
async function bestFirst(db: Db, wanted: Wanted, from: From, limit: number): Promise<Page> {
  const { place, skip } = from;
  const reach = { ...ranked, ms: Infinity };
  const { found, atLeast, end } = await look(db, wanted, { before: place, isRanked: true }, reach);
  const best = found.toSorted((a, b) => b.score - a.score).slice(skip);
  // Excludes messages that are sent between pages, so that every page sorts the same matches.
  const start =
    place.at === newestOfAll.at ? { ...newestOfAll, at: (found[0]?.at ?? 0) + 1 } : place;
  const page = best.slice(0, limit);
  const next = cursorOf(start, skip + limit);
  const more = best.length > limit ? next : end && cursorOf(end);
  return {
    ids: page.map(({ id }) => id),
    atLeast: Math.max(0, atLeast - skip),
    ...(more !== undefined && { more }),
    cursorAfter: (id) => cursorOf(start, skip + page.findIndex((one) => one.id === id) + 1),
  };
}

async function look(
  db: Db,
  wanted: Wanted,
  from: { before: SortKey; isRanked: boolean },
  reach: Reach,
): Promise<Walked> {
  const isNobody = [wanted.authorIds, ...wanted.mentions].some((ids) => ids?.length === 0);
  if (isNobody || wanted.timelineIds.length === 0) return { found: [], atLeast: 0 };
  return walk(db, wanted, from, reach);
}

const cursorOf = ({ at, id }: SortKey, skip = 0) =>
  `${at.toString(36)}.${id}${skip > 0 ? `.${skip}` : ''}`;

function readCursor(cursor: string): From {
  const [at = '', id = '', skip = '0'] = cursor.split('.');
  return { place: { at: Number.parseInt(at, 36), id }, skip: Number(skip) };
}

function channelsOfHits(hits: readonly Hit[], channels: readonly FoundChannel[]): FoundChannel[] {
  const ids = new Set(hits.map(({ message }) => message.timelineId));
  return channels.flatMap((channel) => {
    const { id, serverId, name, private: isPrivate } = channel;
    return ids.has(id) ? [{ id, serverId, name, private: isPrivate }] : [];
  });
}

/** The hits that fit, in their order, and then their neighbors, as far as these fit as well. */
const aroundHits: RowQuery = {
  rows: `select messages.*, hit.place, 0 as side from unnest($1::uuid[]) with ordinality as hit (id, place)
      join messages on messages.id = hit.id and deleted_at is null
    union all
    select around.*, hit.place, around.position - messages.position
    from unnest($1::uuid[]) with ordinality as hit (id, place)
    join messages on messages.id = hit.id
    join messages as around on around.timeline_id = messages.timeline_id
      and around.position in (messages.position - 1, messages.position + 1)`,
  order: 'side <> 0, place, side',
};

const readHits = async (db: Db, ids: string[]): Promise<Message[]> =>
  ids.length === 0 ? [] : (await readMessages(db, aroundHits, [ids])).messages;

function hitsOf(ids: readonly string[], messages: readonly Message[]): Hit[] {
  const found = messages.filter(({ id }, i) => id === ids[i]);
  const around = messages.slice(found.length);
  const takeBeside = ({ timelineId, position }: Message, by: number) => {
    const [next] = around;
    const isBeside = next?.timelineId === timelineId && next.position === position + by;
    return isBeside ? around.splice(0, 1) : [];
  };
  return found.map((message) => ({
    message,
    before: takeBeside(message, -1),
    after: takeBeside(message, 1),
  }));
}
