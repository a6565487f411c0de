/**
 * Writes the trace of a deed, in the transaction of the deed: it is there exactly if the deed is.
 *
 * Nobody can fill the table. Of each kind of deed a person has so many entries a day; what they do beyond that is
 * counted, at first for each server, then in one entry. One kind hides no other: whoever makes invites all
 * day long still leaves every ban. Failures of strangers are counted so, too, by account and address, by the hour.
 */
import type { AuditAction } from '../../shared/audit.ts';
import type { App } from '../app.ts';
import type { Caller } from '../command.ts';
import type { Db } from '../database/database.ts';
import { countSince, deleteExpired, insertEntry, type NewEntry } from './store.ts';

/** Who does it, and from where. Without a user it is `npm run admin`. */
export interface AuditSource {
  user?: Pick<Caller['user'], 'id'>;
  address: string;
}

export interface Deed {
  action: AuditAction;
  serverId?: string | undefined;
  /** Whom it concerns. */
  userId?: string | null | undefined;
  /** What it concerns. */
  subjectId?: string;
  detail?: string;
}

/** So many entries of a kind stand by themselves; then they are counted together, and from twice as many in one. */
const standingAlone = 100;

/** To be called last in a transaction: entries that are counted together are rows that several wait for. */
export async function recordAudit(
  db: Db,
  { user, address }: AuditSource,
  deed: Deed,
): Promise<void> {
  const { serverId = null, userId = null, subjectId = null, detail = null, action } = deed;
  const what = { action, serverId, userId, subjectId, detail };
  const entry = { ...what, actorId: user?.id ?? null, address };
  await write(db, entry, { per: 'day', together: 'serverId' });
}

/** A sign-in: those of an hour from one address are one entry. */
export async function recordSignIn(
  db: Db,
  { user, address }: Required<AuditSource>,
): Promise<void> {
  const entry = { ...nothing, action: 'session:created', actorId: user.id, address } as const;
  const fold = keyOf([entry.action, user.id, address, startOf('hour')]);
  await write(db, entry, { fold, per: 'day', together: 'serverId' });
}

/** A sign-in that failed, at an account or at none. What was typed is not kept: it may be a password. */
export async function recordFailedSignIn(
  db: Db,
  { userId = null, address }: { userId: string | null | undefined; address: string },
): Promise<void> {
  const entry = { ...nothing, action: 'session:refused', userId, address } as const;
  const fold = keyOf([entry.action, userId, address, startOf('hour')]);
  await write(db, entry, { fold, per: 'hour', together: 'userId' });
}

const nothing = {
  ...{ actorId: null, serverId: null, userId: null, subjectId: null, detail: null },
  address: null,
};

interface Counting {
  /** Entries of the same fold are one. */
  fold?: string;
  per: 'day' | 'hour';
  /** What those that are counted together still have in common, beside who and what. */
  together: 'serverId' | 'userId';
}

async function write(db: Db, entry: NewEntry, { fold, per, together }: Counting): Promise<void> {
  const since = startOf(per);
  const written = await countSince(db, entry, since);
  if (written < standingAlone) return insertEntry(db, entry, fold ?? null);
  const { action, actorId } = entry;
  const common = written < 2 * standingAlone ? entry[together] : null;
  const counted = { ...nothing, action, actorId, [together]: common };
  return insertEntry(db, counted, keyOf(['counted', action, actorId, common, since]));
}

const keyOf = (parts: (string | null)[]) => parts.join(' ');

/** The beginning of this day or hour, in UTC. */
function startOf(unit: 'day' | 'hour'): string {
  const now = new Date();
  now.setUTCMinutes(0, 0, 0);
  if (unit === 'day') now.setUTCHours(0);
  return now.toISOString();
}

const slice = 1_000;

/** Drops what is past its time: in slices, so that no transaction is long. */
export async function sweepAudit({ db }: Pick<App, 'db'>): Promise<void> {
  for (let i = 0; i < 10; i += 1) if ((await deleteExpired(db, slice)) < slice) return;
}
