import type { AuditAction } from '../../shared/audit.ts';
import type { ManagedAccount } from '../../shared/administration.ts';
import { conflict, forbidden } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import type { SessionEnding } from '../connection/session-endings.ts';
import { recordAudit } from '../audit/audit.ts';
import { botIdsOf } from '../bots/access.ts';
import { readTransaction, transaction, type Db } from '../database/database.ts';
import { endReset, makeReset, endSessionsOf, revokeTokens, signOut } from '../accounts/accounts.ts';
import { accountFor, requireAdministrator, type Actor } from './access.ts';
import { findManagedAccount, findAccounts, setAdministrator, setSuspended } from './store.ts';

export async function listAccounts(
  actor: Actor,
  { query: part, group, after, limit = limits.pageDefault }: Parsed<'account:list'>,
): Promise<Output<'account:list'>> {
  return readTransaction(actor.db, async (db) => {
    await requireAdministrator(db, actor);
    const found = await findAccounts(db, { part, group, after, limit: limit + 1 });
    return { accounts: found.slice(0, limit), more: { after: found.length > limit } };
  });
}

export async function resetAccount(
  actor: Actor,
  { userId }: Parsed<'account:reset'>,
): Promise<Output<'account:reset'>> {
  const { secret, at } = await transaction(actor.db, async (db) => {
    const { suspended, kind } = await accountFor(db, actor, userId);
    if (kind === 'guest') throw conflict('Guests don’t have a password.');
    if (suspended) throw conflict('This account is suspended. Restore it first.');
    const made = await makeReset(db, userId);
    await record(db, actor, 'reset:created', userId);
    return made;
  });
  return { secret, expiresAt: at.toISOString() };
}

export async function signOutAccount(
  actor: Actor,
  { userId }: Parsed<'account:signOut'>,
): Promise<Record<string, never>> {
  const ended = await transaction(actor.db, async (db) => {
    await accountFor(db, actor, userId);
    const ended = await endSessionsOf(db, userId);
    await record(db, actor, 'account:signedOut', userId);
    return ended;
  });
  signOut(actor.node, userId, ended);
  return {};
}

/** Returns the account after the change. Values that are set already are neither changed nor recorded. */
export async function administerAccount(
  actor: Actor,
  { userId, suspended, administrator }: Parsed<'account:update'>,
): Promise<ManagedAccount> {
  const { account, ended } = await transaction(actor.db, async (db) => {
    const was = await accountFor(db, actor, userId);
    const ended: Ended[] = [];
    const is = was.administers !== undefined;
    if (administrator !== undefined && administrator !== is && was.administers !== 'owner')
      await appoint(db, actor, was, administrator);
    if (suspended !== undefined && suspended !== was.suspended)
      ended.push(...(await (suspended ? suspend : restore)(db, actor, was)));
    return { account: (await findManagedAccount(db, userId)) ?? was, ended };
  });
  for (const { holderId, sessionIds, why } of ended) signOut(actor.node, holderId, sessionIds, why);
  return account;
}

interface Ended {
  holderId: string;
  sessionIds: string[];
  why: SessionEnding;
}

/** Only the owner appoints administrators, because administrators cannot remove each other. */
async function appoint(
  db: Db,
  actor: Actor,
  { id, kind }: ManagedAccount,
  is: boolean,
): Promise<void> {
  if ((await requireAdministrator(db, actor)) !== 'owner')
    throw forbidden('Only the owner of this Parley can make administrators.');
  if (is && kind === 'guest')
    throw conflict('Guests can’t be administrators. They can create an account first.');
  await setAdministrator(db, id, is);
  await record(db, actor, is ? 'administrator:added' : 'administrator:removed', id);
}

/** Suspends an account and revokes the tokens of its bots. After a restore, the owner has to create new tokens. */
async function suspend(db: Db, actor: Actor, { id, administers }: ManagedAccount) {
  if (actor.user !== undefined && administers === 'owner')
    throw forbidden('The owner of this Parley can’t be suspended here.');
  await setSuspended(db, id, true);
  await endReset(db, id);
  const why = 'suspended';
  const ended: Ended[] = [{ holderId: id, sessionIds: await endSessionsOf(db, id, why), why }];
  for (const botId of await botIdsOf(db, id))
    ended.push({ holderId: botId, sessionIds: await revokeTokens(db, botId), why: 'revoked' });
  await record(db, actor, 'account:suspended', id);
  return ended;
}

async function restore(db: Db, actor: Actor, { id }: ManagedAccount): Promise<Ended[]> {
  await setSuspended(db, id, false);
  await record(db, actor, 'account:restored', id);
  return [];
}

const record = (db: Db, actor: Actor, action: AuditAction, userId: string): Promise<void> =>
  recordAudit(db, actor, { action, userId });
