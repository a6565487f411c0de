/** Inserts the data that the attacks need directly, because creating it by commands would take hours. */
import { v7 } from 'uuid';
import { updateAllNames } from '../../server/people/name-search.ts';
import { query, type Db } from '../../server/database/database.ts';

export interface Sizes {
  /** Full channels of one server, which `sync` requests together. */
  channels: number;
  messagesEach: number;
  members: number;
  /** Messages in each server to be deleted. */
  deletion: number;
}

export const whole: Sizes = {
  channels: 200,
  messagesEach: 60,
  members: 20_000,
  deletion: 200_000,
};

export interface FurnishedData {
  library: { serverId: string; timelineIds: string[]; invite: string };
  /** One is deleted in each attack phase. */
  doomed: string[];
}

const body = '語'.repeat(4_000);

export async function furnish(
  db: Db,
  ownerId: string,
  deletions: number,
  { channels, messagesEach, members, deletion }: Sizes,
): Promise<FurnishedData> {
  const library = await putServer(db, ownerId, 'Library', channels);
  await putMessages(db, library.timelineIds, ownerId, messagesEach, body);
  await putMembers(db, library.serverId, members);
  const invite = v7().replaceAll('-', '');
  await query(db, 'insert into invites (code, server_id, created_by) values ($1, $2, $3)', [
    invite,
    library.serverId,
    ownerId,
  ]);
  const doomed: string[] = [];
  for (let i = 0; i < deletions; i += 1) {
    const { serverId, timelineIds } = await putServer(db, ownerId, `Doomed ${i}`, 1);
    await putMessages(db, timelineIds, ownerId, deletion, 'One of many.');
    doomed.push(serverId);
  }
  await updateAllNames(db);
  // Leaves the database as if the data were old, because otherwise autovacuum could fall into any window. A table that
  // is empty when analyzed is planned as empty from then on, so empty ones are left out.
  await query(db, 'vacuum analyze users, servers, channels, members, rooms, messages');
  await query(db, 'checkpoint');
  return { library: { ...library, invite }, doomed };
}

async function putServer(db: Db, ownerId: string, name: string, channels: number) {
  const serverId = v7();
  const timelineIds = Array.from({ length: channels }, () => v7());
  await query(
    db,
    `with places as (
       insert into rooms (id, kind, version)
       select $1::uuid, 'server', 1 union all select unnest($3::uuid[]), 'timeline', 0
     ), server as (
       insert into servers (id, name, default_channel_id, version) values ($1, $4, ($3::uuid[])[1], 1)
     ), listed as (
       insert into channels (id, server_id, name, position, version)
       select id, $1, 'channel-' || place, place, 1
       from unnest($3::uuid[]) with ordinality as one (id, place)
     )
     insert into members (server_id, user_id, role, version, user_version)
     values ($1, $2, 'owner', 1, 1)`,
    [serverId, ownerId, timelineIds, name],
  );
  return { serverId, timelineIds };
}

async function putMessages(
  db: Db,
  timelineIds: string[],
  authorId: string,
  each: number,
  said: string,
) {
  for (const timelineId of timelineIds)
    await query(
      db,
      `with said as (
         insert into messages (id, timeline_id, author_id, position, version, body, created_at)
         select gen_random_uuid(), $1::uuid, $2::uuid, n, n, $4, now()
         from generate_series(1, $3::int) as n
       )
       update rooms set version = $3, last_position = $3 where id = $1`,
      [timelineId, authorId, each, said],
    );
}

async function putMembers(db: Db, serverId: string, many: number): Promise<void> {
  await query(
    db,
    `with made as (
       select gen_random_uuid() as id, n from generate_series(1, $2::int) as n
     ), room as (
       insert into rooms (id, kind) select id, 'user' from made
     ), people as (
       insert into users (id, kind, display_name) select id, 'guest', 'Reader ' || n from made
     )
     insert into members (server_id, user_id, role, version, user_version)
     select $1::uuid, id, 'member', 1, 1 from made`,
    [serverId, many],
  );
}
