import { fold } from '../people/folding.ts';
import { named, query, within, type Db } from '../database/database.ts';
import type { Server } from '../../shared/servers.ts';
import { servers, type ServerRow } from './model.ts';

const toServer = (row: ServerRow): Server => {
  const { id, name, defaultChannelId, iconId } = row;
  const { messageRequests, closedToGuests, approval, noPreviews } = row;
  return {
    ...{ id, name, defaultChannelId },
    ...(iconId !== null && { icon: iconId }),
    ...(messageRequests && { messageRequests }),
    ...(closedToGuests && { closedToGuests }),
    ...(approval && { approval }),
    ...(noPreviews && { noPreviews }),
    createdAt: row.createdAt.toISOString(),
    version: row.version,
  };
};

const columns = `id, name, default_channel_id as "defaultChannelId", icon_id as "iconId",
  message_requests as "messageRequests", closed_to_guests as "closedToGuests", approval, no_previews as "noPreviews",
  created_at as "createdAt", version`;
const serverById = named(`select ${columns} from servers where id = $1`);

export async function findServer(db: Db, id: string): Promise<Server | undefined> {
  const [row] = await query<ServerRow>(db, serverById, [id]);
  return row && toServer(row);
}

const serverOfSetting = named(
  `select servers.id from settings join servers on servers.id = value::uuid where key = $1`,
);

export async function findServerOfSetting(db: Db, key: string): Promise<string | undefined> {
  const [found] = await query<{ id: string }>(db, serverOfSetting, [key]);
  return found?.id;
}

const serversById = named(
  `select ${columns} from servers where id = any($1::uuid[]) order by created_at, id`,
);

export async function findServers(db: Db, ids: string[]): Promise<Server[]> {
  return (await query<ServerRow>(db, serversById, [ids])).map(toServer);
}

const serversOf = named(
  `select servers.id, name, default_channel_id as "defaultChannelId", icon_id as "iconId",
     message_requests as "messageRequests", closed_to_guests as "closedToGuests", approval, no_previews as "noPreviews",
     servers.created_at as "createdAt", user_version as version
   from members join servers on servers.id = members.server_id
   where user_id = $1 order by servers.created_at, servers.id`,
);

export const findServersOf = async (db: Db, userId: string): Promise<Server[]> =>
  (await query<ServerRow>(db, serversOf, [userId])).map(toServer);

/** Inserts a server and its first channel with one statement, because neither can exist without the other. */
export async function insertServer(
  db: Db,
  server: Pick<ServerRow, 'id' | 'name' | 'messageRequests' | 'version'>,
  channel: { id: string; name: string; version: number },
): Promise<void> {
  await query(
    db,
    `with server as (
       insert into servers (id, name, version, default_channel_id, message_requests)
       values ($1, $2, $3, $4, $8)
     )
     insert into channels (id, server_id, name, folded_name, version, position)
     values ($4, $1, $5, $6, $7, 1)`,
    [
      ...[server.id, server.name, server.version],
      ...[channel.id, channel.name, fold(channel.name), channel.version],
      server.messageRequests,
    ],
  );
}

export async function updateServer(
  db: Db,
  id: string,
  to: Omit<ServerRow, 'id' | 'createdAt' | 'large'>,
): Promise<Server> {
  const [, [row]] = await servers(db).update(to, { where: { id }, returning: true, ...within(db) });
  if (row === undefined) throw new Error('a server is missing although it is locked');
  return toServer(row.get());
}

/** By cascade also deletes channels, bans and invites. The messages are deleted later. */
export async function deleteServer(db: Db, id: string, channelIds: string[]): Promise<void> {
  await servers(db).destroy({ where: { id }, ...within(db) });
  await query(db, 'delete from rooms where id = any($1::uuid[])', [[id, ...channelIds]]);
}
