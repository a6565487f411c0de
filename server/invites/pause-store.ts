import { query, type Db } from '../database/database.ts';

/** The end of the pause by the database’s clock. Undefined if there is none, or if it is over. */
export async function findPause(db: Db, serverId: string): Promise<Date | undefined> {
  const [pause] = await query<{ until: Date }>(
    db,
    'select until from invite_pauses where server_id = $1 and until > clock_timestamp()',
    [serverId],
  );
  return pause?.until;
}

/** Undefined for a deleted server. */
export async function findDoor(
  db: Db,
  serverId: string,
): Promise<{ isPaused: boolean; closedToGuests: boolean } | undefined> {
  const [door] = await query<{ isPaused: boolean; closedToGuests: boolean }>(
    db,
    `select closed_to_guests as "closedToGuests", exists (
       select from invite_pauses where server_id = id and until > clock_timestamp()) as "isPaused"
     from servers where id = $1`,
    [serverId],
  );
  return door;
}

export async function savePause(db: Db, serverId: string, seconds: number): Promise<Date> {
  const [{ until } = { until: new Date() }] = await query<{ until: Date }>(
    db,
    `insert into invite_pauses (server_id, until)
     values ($1, clock_timestamp() + $2 * interval '1 second')
     on conflict (server_id) do update set until = excluded.until returning until`,
    [serverId, seconds],
  );
  return until;
}

export async function deletePause(db: Db, serverId: string): Promise<void> {
  await query(db, 'delete from invite_pauses where server_id = $1', [serverId]);
}
