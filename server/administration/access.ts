/** Who may do what to an account. Whoever runs this Parley may do all of it, by `npm run admin`. */
import type { InstanceRole, ManagedAccount } from '../../shared/administration.ts';
import type { Account } from '../../shared/accounts.ts';
import { forbidden, notFound } from '../../shared/failure.ts';
import type { App } from '../app.ts';
import type { Db } from '../database/database.ts';
import { findAccount, findRole, lockAccounts } from './store.ts';

/** Somebody who is signed in, or, without a user, whoever runs this Parley. */
export interface Actor {
  app: App;
  user?: Pick<Account, 'id'>;
  address: string;
}

/** Undefined for everyone who administers nothing. */
export const instanceRoleOf = (db: Db, userId: string): Promise<InstanceRole | undefined> =>
  findRole(db, userId);

/** @throws ChatError forbidden */
export async function requireAdministrator(db: Db, { user }: Actor): Promise<InstanceRole> {
  const role = user === undefined ? 'owner' : await findRole(db, user.id);
  if (role === undefined) throw forbidden('Only administrators of this Parley can do this.');
  return role;
}

/**
 * The account that somebody acts on, locked until the transaction ends, and so is what the actor may do.
 * @throws ChatError forbidden, not_found
 */
export async function accountFor(db: Db, actor: Actor, userId: string): Promise<ManagedAccount> {
  // Asked before the lock, so that nobody else can hold a row; what decides is asked under it.
  await requireAdministrator(db, actor);
  await lockAccounts(db, actor.user === undefined ? [userId] : [userId, actor.user.id]);
  const role = await requireAdministrator(db, actor);
  const account = await findAccount(db, userId);
  if (account === undefined) throw notFound();
  if (account.administers !== undefined && role !== 'owner')
    throw forbidden('Only the owner of this Parley can do this to an administrator.');
  return account;
}
