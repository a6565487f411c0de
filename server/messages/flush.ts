/** Writes a batch in one transaction: locks the free timelines, reads, decides, stores; publishes after the commit. */
import { notFound } from '../../shared/failure.ts';
import type { Context, Node } from '../caller.ts';
import { transaction, type Db } from '../database/database.ts';
import { attempt } from '../node/attempt.ts';
import { visibleAmong } from '../people/people.ts';
import type { Envelope } from '../realtime/node-messages.ts';
import { readRights, type TimelineScopes } from './access.ts';
import { planOf, refusalsOf, wantedOf, type BatchPlan } from './decide.ts';
import { messageEnvelopes, usersNamedIn } from './envelopes.ts';
import { knownScopesOn } from './known-scopes.ts';
import { lockAndRead, type Seen } from './lock-and-read.ts';
import { prepareParts, storeParts, type Prepared } from './message-parts.ts';
import type { StoredBatch, StoredNews } from './part.ts';
import { writeParts } from './part-writes.ts';
import { findQuotable } from './store.ts';
import type { LockBusy, Locking, Outcome, Write } from './write.ts';
import { moveRooms, storeMessages } from './writing-store.ts';

export async function flush(
  context: Context,
  batch: Write[],
  locking: Locking,
): Promise<(Outcome | LockBusy)[]> {
  const { node } = context;
  const { outcomes, envelopes, news } = await transaction(context.db, (db) =>
    write(node, db, batch, locking),
  );
  node.fanout.publish({ envelopes });
  for (const { afterCommit } of news)
    if (afterCommit) void attempt(node, 'after messages', () => afterCommit(context));
  return outcomes;
}

interface Written {
  outcomes: (Outcome | LockBusy)[];
  envelopes: Envelope[];
  news: StoredNews[];
}

async function write(node: Node, db: Db, batch: Write[], locking: Locking): Promise<Written> {
  const known = knownScopesOn(node);
  const timelineIds = [...new Set(batch.map(({ timelineId }) => timelineId))];
  const scopes = await known.of(db, timelineIds);
  const { held, ...seen } = await lockAndRead(db, batch, { scopes, known, timelineIds, locking });
  const isFree = ({ timelineId }: Write) => !held.has(timelineId);
  const free = batch.filter(isFree);
  if (free.length === 0) return { outcomes: batch.map(() => 'held'), envelopes: [], news: [] };
  const { outcomes, ...rest } = await writeLocked(node, db, free, { scopes, ...seen });
  let next = 0;
  return {
    outcomes: batch.map((write) => (isFree(write) ? (outcomes[next++] ?? notFound()) : 'held')),
    ...rest,
  };
}

async function writeLocked(
  node: Node,
  db: Db,
  batch: Write[],
  seen: Seen & { scopes: TimelineScopes },
): Promise<Omit<Written, 'outcomes'> & { outcomes: Outcome[] }> {
  const { rooms, stored, rights } = seen;
  const wanted = wantedOf(batch, stored, await prepare(db, batch, seen));
  const given = { rooms, stored, wanted };
  const refusals = refusalsOf(batch, given, rights.rightsOf);
  const isRefused = (i: number) => refusals.has(i);
  const parts = await writeParts(db, batch, stored, isRefused);
  for (const [i, refusal] of parts.refusals) refusals.set(i, refusal);
  const writes = batch.flatMap((write, i) => {
    const one = wanted[i];
    return one === undefined || isRefused(i)
      ? []
      : [{ write, wanted: one, line: parts.lines.get(i) }];
  });
  const plan = planOf(writes, given, parts.fields);
  const named = writes.flatMap(({ write: { timelineId }, wanted: { body } }) =>
    usersNamedIn({ timelineId, body }),
  );
  const [isVisible, changed, , news] = await Promise.all([
    // First: a mention that is about to be replaced still counts.
    visibleAmong(db, named),
    storeMessages(db, plan),
    moveRooms(db, rooms, plan.after),
    storeParts(node, db, storedBatch(db, batch, plan, seen)),
  ]);
  const outcomes = batch.map(
    ({ id }, i) => refusals.get(i) ?? changed.get(id) ?? stored.get(id) ?? notFound(),
  );
  const { accessVersionOf } = seen;
  const { isPrivate } = rights;
  return {
    outcomes,
    news,
    envelopes: await messageEnvelopes(db, rooms, changed, {
      writers: batch,
      news,
      isVisible,
      accessVersionOf,
      isPrivate,
    }),
  };
}

async function prepare(
  db: Db,
  batch: readonly Write[],
  { stored, rights: { rightsOf } }: Seen,
): Promise<Map<Write, Prepared>> {
  const writes = batch.filter((write) => write.do === 'send' || write.do === 'edit');
  // A message can quote one that is sent in the same batch.
  const sent = new Map(
    writes
      .filter((write) => write.do === 'send')
      .map((write) => [write.id, { ...write, authorId: write.user.id, position: 0, version: 0 }]),
  );
  const prepared = await prepareParts(
    db,
    writes.map((write) => ({
      ...write,
      isNew: write.do === 'send' && !stored.has(write.id),
      before: stored.get(write.id),
      ask: write.do === 'send' ? (write.ask ?? {}) : {},
      rights: rightsOf(write),
    })),
    async (ids) => new Map([...sent, ...(await findQuotable(db, ids))]),
  );
  return new Map(writes.map((write, i) => [write, prepared[i] ?? { fields: {} }]));
}

function storedBatch(
  db: Db,
  batch: readonly Write[],
  plan: BatchPlan,
  { scopes, stored, rights }: Seen & { scopes: TimelineScopes },
): StoredBatch {
  const added = new Set(plan.added.map(({ id }) => id));
  return {
    ...plan,
    before: stored,
    unanswered: batch.filter((write) => added.has(write.id) && rights.isRequest(write)),
    slowed: batch.filter(
      (write) => added.has(write.id) && !rights.rightsOf(write).has('send at once'),
    ),
    serverOf: (timelineId) => scopes.get(timelineId)?.serverId,
    readRights: async (claims) => (await readRights(db, claims, scopes)).rightsOf,
  };
}
