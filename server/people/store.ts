import type { Account } from '../../shared/accounts.ts';
import { named, query, type Db } from '../database/database.ts';
import { accountColumns, toAccount, type AccountRow } from './account-row.ts';

const withOwners = named(
  `select ${accountColumns} from users where id = any($1::uuid[])
   union select ${accountColumns} from users
   where id in (select bot_owner_id from users where id = any($1::uuid[]))`,
);

export const findAccountsAndOwners = async (db: Db, ids: string[]): Promise<Account[]> =>
  (await query<AccountRow>(db, withOwners, [ids])).map(toAccount);

const byId = named(`select ${accountColumns} from users where id = $1`);
const byUsername = named(`select ${accountColumns} from users where username = $1`);

/** Finds an account by its folded username, or by its id. */
export async function findAccount(
  db: Db,
  where: { username: string } | { id: string },
): Promise<Account | undefined> {
  const [row] = await ('id' in where
    ? query<AccountRow>(db, byId, [where.id])
    : query<AccountRow>(db, byUsername, [where.username]));
  return row && toAccount(row);
}

export async function isOlderThan(db: Db, id: string, days: number): Promise<boolean> {
  const found = await query(
    db,
    `select 1 as one from users where id = $1 and created_at < now() - $2 * interval '1 day'`,
    [id, days],
  );
  return found.length === 1;
}
