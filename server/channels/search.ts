import type { FoundChannel } from '../../shared/channels.ts';
import { limits } from '../../shared/limits.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { fold, isShort } from '../people/folding.ts';
import { fit } from '../people/name-search.ts';
import { query, readTransaction, type Db } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import { channelsSeenBy } from './access.ts';

/** The best match first. Finds only those private channels that the caller is in. */
export async function searchChannels(
  caller: Caller,
  { query: wanted, limit = limits.searchResults }: Parsed<'channel:search'>,
): Promise<FoundChannel[]> {
  const folded = fold(wanted);
  if (folded === '') return [];
  return readTransaction(caller.db, async (db) => {
    const found = await findNamedChannels(db, caller.user.id, folded, limit);
    const seen = await channelsSeenBy(db, caller, found);
    return found.filter(({ id }) => seen.has(id));
  });
}

/** Reads the names by server from an index, so it compares only the channels of these servers. */
const finding = `with named as (
    select channels.id, folded_name
    from members join channels on channels.server_id = members.server_id
    where members.user_id = $2 and strpos(' ' || folded_name, $3) > 0
      and (not private or exists (
        select from channel_members as inside where inside.channel_id = channels.id and inside.user_id = $2))
    order by ${fit('folded_name')}, char_length(folded_name), folded_name, channels.id limit $4
  )
  select id, server_id as "serverId", name, private from channels where id in (select id from named)
  order by ${fit('folded_name')}, char_length(folded_name), folded_name, id`;

export const findNamedChannels = (
  db: Db,
  userId: string,
  folded: string,
  limit: number,
): Promise<FoundChannel[]> =>
  query(db, finding, [folded, userId, isShort(folded) ? ` ${folded}` : folded, limit]);

export async function updateAllChannelNames(db: Db): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const channels = await query<{ id: string; name: string }>(
      db,
      'select id, name from channels where id > $1 order by id limit 1000',
      [after],
    );
    const last = channels.at(-1);
    if (last === undefined) return;
    await query(
      db,
      `update channels set folded_name = now.name
       from unnest($1::uuid[], $2::text[]) as now (id, name) where channels.id = now.id`,
      [channels.map(({ id }) => id), channels.map(({ name }) => fold(name))],
    );
    after = last.id;
  }
}
