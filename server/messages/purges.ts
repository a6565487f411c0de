/**
 * Deletes the messages that banned users wrote in a server over some time. The writer deletes, so that clients receive these
 * deletions like any other. Works a little at a time, so that others hardly wait. The progress is stored.
 */
import { findPeople } from '../people/people.ts';
import { recordAudit, type AuditSource } from '../audit/audit.ts';
import type { Db } from '../database/database.ts';
import { attempt } from '../node/attempt.ts';
import { every, type StopWork } from '../node/timer.ts';
import type { Caller, Context } from '../caller.ts';
import * as store from './purge-store.ts';
import { writerOn } from './node-writer.ts';

/** Milliseconds of work in each second. */
const share = 300;
const slice = 200;

/** Stores a purge, in the transaction of its cause. Call it last. */
export async function purgeMessages(
  db: Db,
  caller: Pick<Caller, 'user'> & AuditSource,
  key: store.PurgeKey,
  seconds: number,
): Promise<void> {
  const since = await store.savePurge(db, key, caller.user, seconds);
  const { serverId, authorId: userId } = key;
  const what = { serverId, userId, detail: since.toISOString() };
  await recordAudit(db, caller, { action: 'messages:deleted', ...what });
}

export const watchPurges = (context: Context): StopWork =>
  every(context.node, 1_000, 'purge', () => sweepPurges(context));

async function sweepPurges(context: Context): Promise<void> {
  const began = performance.now();
  while (!context.node.draining && performance.now() - began < share)
    if (!(await sweepPurgeSlice(context, slice))) return;
}

export async function sweepPurgeSlice(context: Context, limit: number): Promise<boolean> {
  const search = await store.takePurges(context.db);
  if (search === undefined) return false;
  const next = await store.findSlice(context.db, search, limit);
  if (next === undefined) await store.deletePurges(context.db, search);
  else if (await deleteAll(context, search, next)) await store.notePurges(context.db, search, next);
  return true;
}

/** Uses the present rights of the user who started the purges. False if some deletions have to be tried again. */
async function deleteAll(
  context: Context,
  { byId, scopes }: store.PurgeSearch,
  { channelId: timelineId, messageIds }: store.PurgeSlice,
): Promise<boolean> {
  const { node } = context;
  const { [byId]: by } = await findPeople(context.db, [byId]);
  if (by === undefined) return true;
  const user = { ...by, username: by.username ?? null, ...(scopes !== null && { scopes }) };
  const results = await Promise.all(
    messageIds.map((id) =>
      attempt(node, 'purge', () =>
        writerOn(node).write({ do: 'delete', user, address: undefined, timelineId, id }),
      ),
    ),
  );
  return results.every((result) => result.ok || !result.error.retryable);
}
