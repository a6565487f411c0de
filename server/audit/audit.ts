/**
 * Writes the audit log. An entry is written in the transaction of the action, so that both exist or neither.
 *
 * Nobody can fill the table. Each person has a number of separate entries a day for each kind of action. Further
 * actions are only counted: first in one entry for each server, then in a single one. Each kind is counted apart, so
 * that thousands of invites do not hide a ban. Failed sign-ins are counted by account and address, each hour.
 */
import type { AuditAction } from '../../shared/audit.ts';
import { instanceRoleOf } from '../administration/access.ts';
import type { Db } from '../database/database.ts';
import type { Caller, Context } from '../caller.ts';
import {
  countSince,
  countSinceEach,
  deleteExpired,
  insertEntries,
  type EntryToWrite,
  type NewEntry,
} from './store.ts';

/** The actor and their address. `npm run admin` has no user. */
export interface AuditSource {
  user?: Pick<Caller['user'], 'id'>;
  address: string;
}

export interface AuditedAction {
  action: AuditAction;
  serverId?: string | undefined;
  userId?: string | null | undefined;
  /** The id of another object of the action, for example a message. */
  subjectId?: string;
  detail?: string;
}

/** Up to this number, entries are separate; up to twice as many, counted per server; beyond that, in a single one. */
const maxSeparateEntries = 100;

/** Call it last in a transaction, because it can lock a row that counts entries, for which others then wait. */
export async function recordAudit(
  db: Db,
  source: AuditSource,
  audited: AuditedAction,
): Promise<void> {
  await write(db, entryOf(source, audited), perDay);
}

export async function recordAudits(
  db: Db,
  action: AuditAction,
  actions: (Required<AuditSource> & Omit<AuditedAction, 'action'>)[],
): Promise<void> {
  if (actions.length === 0) return;
  const since = startOf(perDay.per);
  const actorIds = actions.map(({ user }) => user.id);
  const written = await countSinceEach(db, action, actorIds, since);
  const entries = new Map<string, EntryToWrite>();
  for (const { user, address, ...audited } of actions) {
    const before = written.get(user.id) ?? 0;
    const entry = toWrite(entryOf({ user, address }, { action, ...audited }), before, perDay);
    const key = entry.fold ?? String(entries.size);
    const same = entries.get(key);
    // A counted action mostly adds no row: its entry exists already.
    if (entry.fold === null) written.set(user.id, before + 1);
    entries.set(key, { ...entry, count: (same?.count ?? 0) + 1 });
  }
  // Separate entries keep their order. Counted ones are sorted, so that two nodes that update them do not deadlock.
  const inOrder = [...entries.values()].sort((a, b) => {
    const [one, other] = [a.fold ?? '', b.fold ?? ''];
    return Number(one > other) - Number(one < other);
  });
  await insertEntries(db, inOrder);
}

function entryOf({ user, address }: AuditSource, audited: AuditedAction): NewEntry {
  const { serverId = null, userId = null, subjectId = null, detail = null, action } = audited;
  return { action, serverId, userId, subjectId, detail, actorId: user?.id ?? null, address };
}

export async function recordSignIn(
  db: Db,
  { user, address }: Required<AuditSource>,
): Promise<void> {
  const entry = { ...nothing, action: 'session:created', actorId: user.id, address } as const;
  const fold = keyOf([entry.action, user.id, address, startOf('hour')]);
  await write(db, entry, { fold, per: 'day', together: 'serverId' });
}

/** An unknown username is not stored, because people sometimes type a password there. */
export async function recordFailedSignIn(
  db: Db,
  { userId = null, address }: { userId: string | null | undefined; address: string },
): Promise<void> {
  const entry = { ...nothing, action: 'session:refused', userId, address } as const;
  const fold = keyOf([entry.action, userId, address, startOf('hour')]);
  // Counted separately, so that thousands of other failures do not hide attacks on an administrator’s account.
  const isApart = userId !== null && (await instanceRoleOf(db, userId)) !== undefined;
  await write(db, entry, { fold, per: 'hour', together: 'userId', isApart });
}

const nothing = {
  ...{ actorId: null, serverId: null, userId: null, subjectId: null, detail: null },
  address: null,
};

interface Counting {
  /** Entries with the same fold are one entry with a count. */
  fold?: string;
  per: 'day' | 'hour';
  /** The field that counted entries still have in common, besides actor and action. */
  together: 'serverId' | 'userId';
  /** Counts only entries about the same user, and keeps the user in the combined entry. */
  isApart?: boolean;
}

const perDay = { per: 'day', together: 'serverId' } as const;

async function write(db: Db, entry: NewEntry, counting: Counting): Promise<void> {
  const { per, isApart = false } = counting;
  const written = await countSince(db, entry, startOf(per), isApart ? entry.userId : null);
  await insertEntries(db, [toWrite(entry, written, counting)]);
}

function toWrite(
  entry: NewEntry,
  written: number,
  { fold, per, together, isApart = false }: Counting,
): EntryToWrite {
  if (written < maxSeparateEntries) return { ...entry, fold: fold ?? null, count: 1 };
  const { action, actorId } = entry;
  const common = isApart || written < 2 * maxSeparateEntries ? entry[together] : null;
  const counted = { ...nothing, action, actorId, [together]: common };
  return { ...counted, fold: keyOf(['counted', action, actorId, common, startOf(per)]), count: 1 };
}

const keyOf = (parts: (string | null)[]) => parts.join(' ');

function startOf(unit: 'day' | 'hour'): string {
  const now = new Date();
  now.setUTCMinutes(0, 0, 0);
  if (unit === 'day') now.setUTCHours(0);
  return now.toISOString();
}

const slice = 1_000;

/** Deletes expired entries in slices, so that no transaction is long. */
export async function sweepAudit({ db, node }: Context): Promise<void> {
  const days = node.config.PARLEY_AUDIT_DAYS;
  for (let i = 0; i < 10; i += 1) if ((await deleteExpired(db, days, slice)) < slice) return;
}
