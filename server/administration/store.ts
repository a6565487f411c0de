import type { AccountGroup, InstanceRole, ManagedAccount } from '../../shared/administration.ts';
import { fold, isShort, partsWanted } from '../people/folding.ts';
import { skeletonOf } from '../people/skeletons.ts';
import { settingKey } from '../node/instance-settings.ts';
import { named, query, type Db } from '../database/database.ts';

interface AccountRow {
  id: string;
  name: string;
  kind: 'registered' | 'guest';
  username: string | null;
  rev: number;
  administers: InstanceRole | null;
  suspended: boolean;
  createdAt: Date;
  lastSeenAt: Date | null;
}

const toAccount = ({
  administers,
  createdAt,
  lastSeenAt,
  username,
  ...row
}: AccountRow): ManagedAccount => ({
  ...row,
  ...(username !== null && { username }),
  ...skeletonOf(row.name),
  ...(administers !== null && { administers }),
  createdAt: createdAt.toISOString(),
  ...(lastSeenAt !== null && { lastSeenAt: lastSeenAt.toISOString() }),
});

/** Materialized, so that PostgreSQL does not cast other settings to uuid. */
const lobby = `lobby as materialized (select value::uuid as id from settings where key = 'lobby_id')`;
const administers = `case
  when exists (select 1 from lobby join members on members.server_id = lobby.id
               where members.user_id = users.id and members.role = 'owner') then 'owner'
  when users.administrator then 'administrator' end`;
const accounts = `with ${lobby}
  select users.id, display_name as name, kind, username, rev, ${administers} as administers,
    suspended_at is not null as suspended, users.created_at as "createdAt",
    (select max(last_seen_at) from sessions
     where user_id = users.id and expires_at > now()) as "lastSeenAt"
  from users where kind <> 'bot' and ended_at is null`;
/** Uses partial indexes, because a group can be small among very many accounts. */
const inGroup: Record<AccountGroup, string> = {
  guests: `kind = 'guest'`,
  administrators: `users.id in (
    select id from users where administrator
    union select user_id from lobby join members on members.server_id = lobby.id and role = 'owner')`,
  suspended: 'suspended_at is not null',
};

const rightsOf = named(
  `with ${lobby} select ${administers} as administers,
     (select value from settings where key = '${settingKey('serverCreation')}') as creation
   from users where id = $1 and suspended_at is null`,
);

interface InstanceRights {
  administers: InstanceRole | null;
  /** The stored value of `serverCreation`, before defaults and the environment. */
  creation: string | null;
}

export async function findRights(db: Db, userId: string): Promise<InstanceRights | undefined> {
  const [row] = await query<InstanceRights>(db, rightsOf, [userId]);
  return row;
}

/** Locks rows in the order of their ids, so that two concurrent actors do not deadlock. */
export async function lockAccounts(db: Db, ids: string[]): Promise<void> {
  await query(db, 'select 1 from users where id = any($1::uuid[]) order by id for no key update', [
    ids,
  ]);
}

export async function findManagedAccount(db: Db, id: string): Promise<ManagedAccount | undefined> {
  const [row] = await query<AccountRow>(db, `${accounts} and users.id = $1`, [id]);
  return row && toAccount(row);
}

interface AccountFilter {
  part?: string | undefined;
  group?: AccountGroup | undefined;
  after?: string | undefined;
  limit: number;
}

/** `db` must be a transaction, because of `set local`. */
export async function findAccounts(
  db: Db,
  { part, group, after, limit }: AccountFilter,
): Promise<ManagedAccount[]> {
  const condition = group === undefined ? 'true' : inGroup[group];
  const page = `${condition} and ($1::uuid is null or users.id > $1) order by users.id limit $2`;
  if (part === undefined)
    return (await query<AccountRow>(db, `${accounts} and ${page}`, [after ?? null, limit])).map(
      toAccount,
    );
  const folded = fold(part);
  if (folded === '') return [];
  // Forces the index. For a common name, PostgreSQL would otherwise scan all accounts and expect enough matches soon.
  await query(db, 'set local enable_seqscan = off');
  const rows = await query<AccountRow>(
    db,
    `${accounts} and name_parts @> $3::text[]
       and (strpos(' ' || folded_name, $4) > 0 or strpos(' ' || folded_username, $4) > 0)
       and ${page}`,
    [after ?? null, limit, partsWanted(folded), isShort(folded) ? ` ${folded}` : folded],
  );
  return rows.map(toAccount);
}

export async function setSuspended(db: Db, id: string, suspended: boolean): Promise<void> {
  await query(db, 'update users set suspended_at = case when $2 then now() end where id = $1', [
    id,
    suspended,
  ]);
}

export async function setAdministrator(db: Db, id: string, administrator: boolean): Promise<void> {
  await query(db, 'update users set administrator = $2 where id = $1', [id, administrator]);
}
