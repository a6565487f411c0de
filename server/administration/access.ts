import type { InstanceRole, ManagedAccount } from '../../shared/administration.ts';
import type { Account } from '../../shared/accounts.ts';
import { forbidden, notFound } from '../../shared/failure.ts';
import type { Db } from '../database/database.ts';
import type { Node } from '../caller.ts';
import { settingKey, settingsFrom } from '../node/instance-settings.ts';
import { findManagedAccount, findRights, lockAccounts } from './store.ts';

/** A signed-in user, or the operator of this Parley if `user` is missing. */
export interface Actor {
  node: Node;
  db: Db;
  user?: Pick<Account, 'id'>;
  address: string;
}

export const instanceRoleOf = async (db: Db, userId: string): Promise<InstanceRole | undefined> =>
  (await findRights(db, userId))?.administers ?? undefined;

/** The rights of an account on the instance. Guests and bots have none. */
export async function instanceRightsOf(
  db: Db,
  { config }: Pick<Node, 'config'>,
  { id, kind }: Pick<Account, 'id' | 'kind'>,
): Promise<{ administers?: InstanceRole; canCreateServers: boolean }> {
  const found = kind === 'registered' ? await findRights(db, id) : undefined;
  if (found === undefined) return { canCreateServers: false };
  if (found.administers !== null) return { administers: found.administers, canCreateServers: true };
  const { serverCreation } = settingsFrom(config, {
    [settingKey('serverCreation')]: found.creation,
  });
  return { canCreateServers: serverCreation === 'everyone' };
}

/** @throws ChatError forbidden */
export async function requireAdministrator(db: Db, { user }: Actor): Promise<InstanceRole> {
  const role = user === undefined ? 'owner' : await instanceRoleOf(db, user.id);
  if (role === undefined) throw forbidden('Only administrators of this Parley can do this.');
  return role;
}

/** Also locks the actor's account, so that their role does not change. @throws ChatError forbidden, not_found */
export async function accountFor(db: Db, actor: Actor, userId: string): Promise<ManagedAccount> {
  // Checked before the lock, so that only administrators can lock rows. The check under the lock decides.
  await requireAdministrator(db, actor);
  await lockAccounts(db, actor.user === undefined ? [userId] : [userId, actor.user.id]);
  const role = await requireAdministrator(db, actor);
  const account = await findManagedAccount(db, userId);
  if (account === undefined) throw notFound();
  if (account.administers !== undefined && role !== 'owner')
    throw forbidden('Only the owner of this Parley can do this to an administrator.');
  return account;
}
