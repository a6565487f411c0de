import { named, query, type Db } from '../database/database.ts';

/** The end of the pause by the database’s clock. Undefined if there is none, or if it is over. */
export async function findPause(db: Db, serverId: string): Promise<Date | undefined> {
  const [pause] = await query<{ until: Date }>(
    db,
    'select until from invite_pauses where server_id = $1 and until > clock_timestamp()',
    [serverId],
  );
  return pause?.until;
}

/** The settings of a server and the state of a person that decide if the person can join. */
export interface Door {
  pausedUntil: Date | null;
  closedToGuests: boolean;
  approval: boolean;
  /** The person asked to join. */
  isWaiting: boolean;
}

const door = named(
  `select (select until from invite_pauses where server_id = id and until > clock_timestamp()) as "pausedUntil",
     closed_to_guests as "closedToGuests", approval,
     exists (select from join_requests where server_id = id and user_id = $2) as "isWaiting"
   from servers where id = $1`,
);

/** The door for this person. Undefined for a deleted server. */
export async function findDoor(
  db: Db,
  serverId: string,
  userId: string | undefined,
): Promise<Door | undefined> {
  const [found] = await query<Door>(db, door, [serverId, userId ?? null]);
  return found;
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
