import type { Bot } from '../../shared/bots.ts';
import { query, type Db } from '../database/database.ts';

interface BotRow {
  id: string;
  name: string;
  avatar: string | null;
  scopes: Bot['scopes'];
  createdAt: Date;
  tokenAt: Date;
}

const toBot = ({ createdAt, tokenAt, avatar, ...bot }: BotRow): Bot => ({
  ...bot,
  ...(avatar !== null && { avatar }),
  createdAt: createdAt.toISOString(),
  tokenAt: tokenAt.toISOString(),
});

const columns = `users.id, users.display_name as name, users.avatar_id as avatar, bots.scopes,
  bots.created_at as "createdAt", bots.token_at as "tokenAt"`;
const bots = `select ${columns} from bots join users on users.id = bots.user_id`;

export async function findBots(db: Db, ownerId: string): Promise<Bot[]> {
  const rows = await query<BotRow>(db, `${bots} where owner_id = $1 order by bots.created_at`, [
    ownerId,
  ]);
  return rows.map(toBot);
}

export type OwnedBot = Bot & { owner: string };

export async function findAllBots(db: Db): Promise<OwnedBot[]> {
  const rows = await query<BotRow & { owner: string }>(
    db,
    `select ${columns}, owners.username as owner
     from bots join users on users.id = bots.user_id join users as owners on owners.id = bots.owner_id
     order by bots.created_at`,
  );
  return rows.map(({ owner, ...row }) => ({ ...toBot(row), owner }));
}

export async function findBot(db: Db, id: string, ownerId: string): Promise<Bot | undefined> {
  const [row] = await query<BotRow>(db, `${bots} where user_id = $1 and owner_id = $2`, [
    id,
    ownerId,
  ]);
  return row && toBot(row);
}

export async function findBotIds(db: Db, ownerId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    'select user_id as id from bots where owner_id = $1 order by user_id',
    [ownerId],
  );
  return rows.map(({ id }) => id);
}

export async function findOwners(db: Db, ownerIds: string[]): Promise<Map<string, string>> {
  const rows = await query<{ id: string; ownerId: string }>(
    db,
    'select user_id as id, owner_id as "ownerId" from bots where owner_id = any($1::uuid[])',
    [ownerIds],
  );
  return new Map(rows.map(({ id, ownerId }) => [id, ownerId]));
}

export async function findOwnerId(db: Db, id: string): Promise<string | undefined> {
  const [row] = await query<{ ownerId: string }>(
    db,
    'select owner_id as "ownerId" from bots where user_id = $1',
    [id],
  );
  return row?.ownerId;
}

export async function insertBot(db: Db, id: string, ownerId: string): Promise<void> {
  await query(db, `insert into bots (user_id, owner_id) values ($1, $2)`, [id, ownerId]);
}

export async function updateScopes(db: Db, id: string, scopes: Bot['scopes']): Promise<void> {
  await query(db, 'update bots set scopes = $2::text[], token_at = now() where user_id = $1', [
    id,
    scopes,
  ]);
}

export async function deleteBot(db: Db, id: string): Promise<void> {
  await query(db, 'delete from bots where user_id = $1', [id]);
}
