/** Resolves a search: the timelines that the caller can see now, and the channels and people that the query names. */
import type { FoundChannel } from '../../shared/channels.ts';
import { channelMark, mentionMark } from '../../shared/mentions.ts';
import type { Parsed } from '../../shared/protocol.ts';
import type { SearchQuery } from '../../shared/search-query.ts';
import { fold } from '../people/folding.ts';
import { findUsersByName } from '../people/name-search.ts';
import { channelsOf } from '../channels/access.ts';
import { conversationIdsOf } from '../conversations/access.ts';
import type { Db } from '../database/database.ts';
import { membershipsOf } from '../members/access.ts';
import { findNicknamed } from '../members/search.ts';
import { timelineFor, timelinesSeenBy } from '../messages/access.ts';
import { serverFor } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { bitsOf } from './content.ts';
import type { Wanted } from './wanted.ts';

export interface ResolvedSearch {
  wanted: Wanted;
  channels: readonly FoundChannel[];
}

/** @throws ChatError not_found if the caller cannot know of the place */
export async function resolve(
  db: Db,
  caller: Pick<Caller, 'user'>,
  where: Pick<Parsed<'message:search'>, 'serverId' | 'timelineId'>,
  query: SearchQuery,
): Promise<ResolvedSearch> {
  const { timelineIds, channels } = await timelinesOf(db, caller, where, query.in);
  const people = [...query.from, ...query.mentions];
  const idsOf = people.length === 0 ? () => [] : await peopleCalled(db, caller, people);
  const wanted = {
    timelineIds,
    words: query.words,
    ...(query.from.length > 0 && { authorIds: query.from.flatMap(idsOf) }),
    mentions: query.mentions.map(idsOf),
    has: bitsOf(query.has),
    from: micros(query.after, 0),
    until: micros(query.before, Number.MAX_SAFE_INTEGER),
  };
  return { wanted, channels };
}

const micros = (ms: number | undefined, otherwise: number) =>
  ms === undefined ? otherwise : Math.max(0, ms * 1_000);

async function timelinesOf(
  db: Db,
  caller: Pick<Caller, 'user'>,
  { serverId, timelineId }: Pick<Parsed<'message:search'>, 'serverId' | 'timelineId'>,
  names: string[],
): Promise<{ timelineIds: string[]; channels: readonly FoundChannel[] }> {
  if (timelineId !== undefined) await timelineFor(db, caller, timelineId, 'see');
  if (serverId !== undefined) await serverFor(db, caller, serverId, 'see');
  const channels = await channelsOf(db, caller.user.id, serverId);
  const named = channels.filter(({ id, foldedName }) =>
    names.some((name) => markedIn(channelMark, name) === id || foldedName === fold(name)),
  );
  const ids =
    names.length > 0
      ? named.map(({ id }) => id)
      : timelineId !== undefined
        ? [timelineId]
        : channels.map(({ id }) => id);
  const isEverywhere = names.length === 0 && timelineId === undefined && serverId === undefined;
  const others = isEverywhere ? await conversationIdsOf(db, caller.user.id) : [];
  const seen = await timelinesSeenBy(db, caller, [...ids, ...others]);
  return { timelineIds: [...seen.keys()], channels };
}

function markedIn(mark: RegExp, text: string): string | undefined {
  const [found] = text.matchAll(mark);
  return found?.[0] === text ? found[1]?.toLowerCase() : undefined;
}

/** Finds people by exact name or username, or by a nickname in a server of the caller. */
async function peopleCalled(
  db: Db,
  { user }: Pick<Caller, 'user'>,
  names: string[],
): Promise<(name: string) => string[]> {
  const serverIds = [...(await membershipsOf(db, user.id)).keys()];
  const idsOf = async (name: string): Promise<string[]> => {
    const marked = markedIn(mentionMark, name);
    if (marked !== undefined) return [marked];
    if (name === 'me') return [user.id];
    const folded = fold(name);
    if (folded === '') return [];
    const [called, nicknamed] = await Promise.all([
      findUsersByName(db, folded),
      findNicknamed(db, folded, serverIds),
    ]);
    return [...new Set([...called, ...nicknamed].map(({ id }) => id))];
  };
  const found = new Map<string, string[]>();
  for (const name of new Set(names)) found.set(name, await idsOf(name));
  return (name) => found.get(name) ?? [];
}
