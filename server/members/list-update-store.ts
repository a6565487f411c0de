/** The servers whose members’ lists wait for an update. */
import { query, type Db } from '../database/database.ts';

/** Starts or restarts the notification of all members of a server. */
export async function queueListUpdate(db: Db, serverId: string, ended: boolean): Promise<void> {
  await query(
    db,
    `insert into untold_servers (server_id, ended) values ($1, $2)
     on conflict (server_id) do update set ended = excluded.ended, told = null`,
    [serverId, ended],
  );
}

/** The given server, or the one that has waited longest. `told` is the last member notified. */
export async function findListUpdate(
  db: Db,
  serverId: string | null = null,
): Promise<{ serverId: string; told: string | null } | undefined> {
  const [next] = await query<{ serverId: string; told: string | null }>(
    db,
    `select server_id as "serverId", told from untold_servers
     where $1::uuid is null or server_id = $1 order by at, server_id limit 1`,
    [serverId],
  );
  return next;
}

/** Moves the server behind the others, so that none waits for one with many members. */
export async function advanceListUpdate(
  db: Db,
  serverId: string,
  lastUserId: string,
): Promise<void> {
  await query(
    db,
    'update untold_servers set told = $2, at = clock_timestamp() where server_id = $1',
    [serverId, lastUserId],
  );
}

export async function deleteListUpdate(db: Db, serverId: string): Promise<void> {
  await query(db, 'delete from untold_servers where server_id = $1', [serverId]);
}
