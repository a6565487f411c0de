/**
 * One batch of writes as one transaction: lock what can be had at once, read, decide in order of arrival, store, tell.
 */
import type { App } from '../app.ts';
import type { ChatError } from '../../shared/failure.ts';
import { notFound } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { People } from '../../shared/people.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Reading } from '../../shared/reads.ts';
import { knownAmong, findPeople, type Call } from '../accounts/people.ts';
import { recordAudit } from '../audit/audit.ts';
import { tellCalls } from '../calling/calling.ts';
import { blockedPairs } from '../blocks/access.ts';
import { attempt } from '../node/attempt.ts';
import { answer } from '../conversations/requests.ts';
import { query, transaction, type Db } from '../database/database.ts';
import type { LockedRoom } from '../database/locks.ts';
import { keepMentions } from '../mentions/mentions.ts';
import type { Envelope } from '../realtime/node-messages.ts';
import { markReadByWriting } from '../reads/reads.ts';
import { readRights, type Claim, type TimelineScopes } from './access.ts';
import type { KnownScopes } from './known-scopes.ts';
import { lockAndRead, type Seen } from './lock-and-read.ts';
import { insertMessages, rewriteMessages, type NewMessage } from './writing-store.ts';
import { draftsOf, planOf, refusalsOf, type Draft, type Plan } from './decide.ts';
import { envelopesOf } from './envelopes.ts';
import type { PartRequest, PartFields, PartOutcome, PartWriter } from './part.ts';
import { fieldsOfWords, keepParts, peopleCalled, resolveSends } from './parts.ts';
import type { LockBusy, Locking, Outcome, Write } from './writer.ts';

/** Commits the batch, publishes what changed, and says what became of each write, or that its timeline is held. */
export async function flush(
  app: App,
  batch: Write[],
  locking: Locking,
): Promise<(Outcome | LockBusy)[]> {
  const { outcomes, envelopes, answers } = await transaction(app.db, (db) =>
    write(app.scopes, db, batch, locking),
  );
  app.fanout.publish({ envelopes });
  for (const { user, timelineId } of answers)
    void attempt(app, 'answer', () => answer(app, user.id, timelineId));
  return outcomes;
}

interface Written {
  outcomes: (Outcome | LockBusy)[];
  envelopes: Envelope[];
  /** What was sent by people to whom the conversation was a request. */
  answers: Write[];
}

async function write(
  known: KnownScopes,
  db: Db,
  batch: Write[],
  locking: Locking,
): Promise<Written> {
  const timelineIds = [...new Set(batch.map(({ timelineId }) => timelineId))];
  const scopes = await known.of(db, timelineIds);
  const { held, ...seen } = await lockAndRead(db, batch, { scopes, known, timelineIds, locking });
  const isFree = ({ timelineId }: Write) => !held.has(timelineId);
  const free = batch.filter(isFree);
  if (free.length === 0) return { outcomes: batch.map(() => 'held'), envelopes: [], answers: [] };
  const { outcomes, ...rest } = await writeLocked(db, free, { scopes, ...seen });
  let next = 0;
  return {
    outcomes: batch.map((write) => (isFree(write) ? (outcomes[next++] ?? notFound()) : 'held')),
    ...rest,
  };
}

async function writeLocked(
  db: Db,
  batch: Write[],
  { scopes, rooms, accessVersionOf, stored, rights }: Seen & { scopes: TimelineScopes },
): Promise<Omit<Written, 'outcomes'> & { outcomes: Outcome[] }> {
  const { rightsOf, isPrivate, isRequest } = rights;
  const drafts = draftsOf(batch, stored, await resolveSends(db, batch));
  const calls = batch.flatMap(({ timelineId }, i) => callsOf(timelineId, drafts[i]));
  const [named, isKnown, isApart] = await Promise.all([
    findPeople(
      db,
      calls.map(({ userId }) => userId),
    ),
    knownAmong(db, calls),
    blockedPairs(db, batch.flatMap(pairsOf(drafts))),
  ]);
  const { rightsOf: rightsOfCalled } = await readRights(
    db,
    calls.flatMap((call) => claimsOf(call, named)),
    scopes,
  );
  const given = { rooms, stored, drafts };
  const refusals = refusalsOf(batch, given, rightsOf);
  const isRefused = (i: number) => refusals.has(i);
  const parts = await writeParts(db, batch, stored, isRefused);
  for (const [i, refusal] of parts.refusals) refusals.set(i, refusal);
  const { fields, lines } = parts;
  const writes = batch.flatMap((write, i) => {
    const draft = drafts[i];
    if (draft === undefined || isRefused(i)) return [];
    return [{ write, draft: withWords(write, draft, rightsOf(write)), line: lines.get(i) }];
  });
  const plan = planOf(writes, given, fields);
  const [changed] = await Promise.all([
    store(db, plan, rooms),
    keepParts(db, plan),
    markReadByWriting(db, readings(plan.added)),
  ]);
  const news = new Set(plan.added.map(({ id }) => id));
  const reworded = [...changed.values()].filter(({ id }) => plan.reworded.has(id));
  const mentions = await keepMentions(
    db,
    reworded,
    ({ id }) => news.has(id),
    (message) =>
      peopleCalled(message).filter((userId) => {
        const { timelineId, authorId } = message;
        const user = named[userId];
        const sees = user !== undefined && rightsOfCalled({ user, timelineId }).has('see');
        return sees && !isApart(authorId, userId);
      }),
  );
  const called = await tellCalls(db, reworded, stored, mentions);
  await recordRemovals(db, plan, scopes);
  const outcomes = batch.map(
    ({ id }, i) => refusals.get(i) ?? changed.get(id) ?? stored.get(id) ?? notFound(),
  );
  return {
    outcomes,
    answers: batch.filter((write) => news.has(write.id) && isRequest(write)),
    envelopes: await envelopesOf(db, rooms, changed, {
      writers: batch,
      named,
      isKnown,
      mentions,
      called,
      accessVersionOf,
      isPrivate,
    }),
  };
}

/** With what features add because of its words. */
const withWords = (write: Write, draft: Draft, rights: ReadonlySet<Permission>): Draft =>
  write.do === 'send' || write.do === 'edit'
    ? { ...draft, fields: { ...draft.fields, ...fieldsOfWords(draft.body, rights) } }
    : draft;

/** Whoever stands in what a write leaves. */
const callsOf = (timelineId: string, draft: Draft | undefined): Call[] =>
  draft === undefined
    ? []
    : peopleCalled({ ...draft.fields, body: draft.body }).map((userId) => ({ timelineId, userId }));

/** Nobody is called by who blocks them, nor by whom they block. */
const pairsOf = (drafts: readonly Draft[]) => (write: Write, i: number) =>
  callsOf(write.timelineId, drafts[i]).map(({ userId }) => [write.user.id, userId] as const);

/** Whom a write mentions must see it, too. */
function claimsOf({ timelineId, userId }: Call, named: People): Claim[] {
  const user = named[userId];
  return user === undefined ? [] : [{ user, timelineId }];
}

/** Lets each feature decide, and store, what is asked of it and not refused. */
async function writeParts(
  db: Db,
  batch: readonly Write[],
  stored: ReadonlyMap<string, Message>,
  isRefused: (place: number) => boolean,
): Promise<Required<PartOutcome>> {
  const asked = new Map<PartWriter, (PartRequest<unknown> & { place: number })[]>();
  for (const [place, write] of batch.entries()) {
    const message = stored.get(write.id);
    if (write.do !== 'part' || message === undefined || isRefused(place)) continue;
    const { part, ask, user } = write;
    asked.set(part, [...(asked.get(part) ?? []), { ask, user, message, place }]);
  }
  const refusals = new Map<number, ChatError>();
  const fields = new Map<string, PartFields>();
  const lines = new Map<number, PartFields>();
  for (const [part, all] of asked) {
    const outcome = await part.write(db, all);
    const placeOf = (i: number) => all[i]?.place ?? -1;
    for (const [i, refusal] of outcome.refusals) refusals.set(placeOf(i), refusal);
    for (const [id, changed] of outcome.fields) fields.set(id, changed);
    for (const [i, line] of outcome.lines ?? []) lines.set(placeOf(i), line);
  }
  return { refusals, fields, lines };
}

/** Deleting another's message leaves a trace; its text leaves none. */
async function recordRemovals(db: Db, { removals }: Plan, scopes: TimelineScopes): Promise<void> {
  for (const { timelineId, user, address, message } of removals) {
    if (address === undefined) continue;
    const { serverId } = scopes.get(timelineId) ?? {};
    const whose = { userId: message.authorId, subjectId: message.id };
    await recordAudit(db, { user, address }, { action: 'message:deleted', serverId, ...whose });
  }
}

/** Returns the messages as they now are, by id. */
async function store(
  db: Db,
  { added, rewrites, after }: Plan,
  rooms: ReadonlyMap<string, LockedRoom>,
): Promise<Map<string, Message>> {
  const [rewritten, inserted] = await Promise.all([
    rewriteMessages(db, rewrites),
    // After them: what is added may quote what is rewritten.
    insertMessages(db, added),
    moveRooms(
      db,
      [...after].filter(([id, { version }]) => version !== rooms.get(id)?.version),
    ),
  ]);
  return new Map([...rewritten, ...inserted].map((message) => [message.id, message]));
}

async function moveRooms(db: Db, moved: [id: string, room: LockedRoom][]): Promise<void> {
  if (moved.length === 0) return;
  await query(
    db,
    `update rooms set version = moved.version, last_position = moved.position
     from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as moved (id, version, position)
     where rooms.id = moved.id`,
    [
      moved.map(([id]) => id),
      moved.map(([, { version }]) => version),
      moved.map(([, { lastPosition }]) => lastPosition),
    ],
  );
}

/** How far each author has read by writing: in order of position, so the last of theirs is the furthest. */
function readings(added: NewMessage[]): (Reading & { userId: string })[] {
  const furthest = new Map<string, Reading & { userId: string }>();
  for (const { authorId: userId, timelineId, position } of added)
    furthest.set(`${userId} ${timelineId}`, { userId, timelineId, position });
  return [...furthest.values()];
}
