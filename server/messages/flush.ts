/**
 * Writes one batch in one transaction: locks the timelines that are free, reads, decides in order of arrival, stores,
 * and publishes after the commit.
 */
import { notFound, type ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { People } from '../../shared/people.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { ReadPosition } from '../../shared/reads.ts';
import { visibleAmong, findPeople, type NamedUser } from '../people/people.ts';
import { recordAudits } from '../audit/audit.ts';
import { callsByTimeline } from '../calling/calling.ts';
import { blockedPairs } from '../blocks/access.ts';
import { attempt } from '../node/attempt.ts';
import { answer } from '../conversations/requests.ts';
import { query, transaction, type Db } from '../database/database.ts';
import type { LockedRoom } from '../database/locks.ts';
import { keepMentions } from '../mentions/mentions.ts';
import type { Envelope } from '../realtime/node-messages.ts';
import { markReadByWriting } from '../reads/reads.ts';
import type { Context, Node } from '../caller.ts';
import { readRights, type TimelineScopes } from './access.ts';
import type { Claim } from './claim.ts';
import { knownScopesOn } from './known-scopes.ts';
import { lockAndRead, type Seen } from './lock-and-read.ts';
import { insertMessages, rewriteMessages, type NewMessage } from './writing-store.ts';
import { draftsOf, planOf, refusalsOf, type Draft, type BatchPlan } from './decide.ts';
import { envelopesOf } from './envelopes.ts';
import type { PartRequest, PartFields, PartOutcome, PartWriter } from './part.ts';
import { fieldsOfWords, keepParts, peopleCalled, resolveSends } from './message-parts.ts';
import type { LockBusy, Locking, Outcome, Write } from './write.ts';
import { whenStoredOn } from './when-stored.ts';

/** Commits the batch and publishes the changes. Returns the outcome of each write; `held` if its timeline is locked. */
export async function flush(
  context: Context,
  batch: Write[],
  locking: Locking,
): Promise<(Outcome | LockBusy)[]> {
  const { node } = context;
  const { outcomes, envelopes, answers } = await transaction(context.db, (db) =>
    write(node, db, batch, locking),
  );
  node.fanout.publish({ envelopes });
  for (const { user, timelineId } of answers)
    void attempt(node, 'answer', () => answer(context, user.id, timelineId));
  return outcomes;
}

interface Written {
  outcomes: (Outcome | LockBusy)[];
  envelopes: Envelope[];
  /** Messages whose sender had not answered the conversation's request: sending accepts it. */
  answers: Write[];
}

async function write(node: Node, db: Db, batch: Write[], locking: Locking): Promise<Written> {
  const timelineIds = [...new Set(batch.map(({ timelineId }) => timelineId))];
  const known = knownScopesOn(node);
  const scopes = await known.of(db, timelineIds);
  const { held, ...seen } = await lockAndRead(db, batch, { scopes, known, timelineIds, locking });
  const isFree = ({ timelineId }: Write) => !held.has(timelineId);
  const free = batch.filter(isFree);
  if (free.length === 0) return { outcomes: batch.map(() => 'held'), envelopes: [], answers: [] };
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
  { scopes, rooms, accessVersionOf, stored, rights }: Seen & { scopes: TimelineScopes },
): Promise<Omit<Written, 'outcomes'> & { outcomes: Outcome[] }> {
  const { rightsOf, isPrivate, isRequest } = rights;
  const drafts = draftsOf(batch, stored, await resolveSends(db, batch));
  const namedUsers = batch.flatMap(({ timelineId }, i) => usersNamedIn(timelineId, drafts[i]));
  const [named, isVisible, isApart] = await Promise.all([
    findPeople(
      db,
      namedUsers.map(({ userId }) => userId),
    ),
    visibleAmong(db, namedUsers),
    blockedPairs(db, batch.flatMap(pairsOf(drafts))),
  ]);
  const { rightsOf: rightsOfNamed } = await readRights(
    db,
    namedUsers.flatMap((user) => claimsOf(user, named)),
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
    ...whenStoredOn(node).map((queue) => queue(db, plan.added)),
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
        const sees = user !== undefined && rightsOfNamed({ user, timelineId }).has('see');
        return sees && !isApart(authorId, userId);
      }),
  );
  const called = await callsByTimeline(db, reworded, stored, mentions);
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
      isVisible,
      mentions,
      called,
      accessVersionOf,
      isPrivate,
    }),
  };
}

/** Adds the fields that follow from the text. */
const withWords = (write: Write, draft: Draft, rights: ReadonlySet<Permission>): Draft =>
  write.do === 'send' || write.do === 'edit'
    ? { ...draft, fields: { ...draft.fields, ...fieldsOfWords(draft.body, rights) } }
    : draft;

/** The users whom a message names after a write. */
const usersNamedIn = (timelineId: string, draft: Draft | undefined): NamedUser[] =>
  draft === undefined
    ? []
    : peopleCalled({ ...draft.fields, body: draft.body }).map((userId) => ({ timelineId, userId }));

/** Author and named user, to be looked up among the blocks: a mention across a block does not count. */
const pairsOf = (drafts: readonly Draft[]) => (write: Write, i: number) =>
  usersNamedIn(write.timelineId, drafts[i]).map(({ userId }) => [write.user.id, userId] as const);

/** Asks whether a named user may see the timeline: a mention of someone who may not does not count. */
function claimsOf({ timelineId, userId }: NamedUser, named: People): Claim[] {
  const user = named[userId];
  return user === undefined ? [] : [{ user, timelineId }];
}

/** Runs the writes of features that were not refused: each feature decides on its own and stores them. */
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

/** Records deletions of other people's messages in the audit log, without their text. */
async function recordRemovals(
  db: Db,
  { removals }: BatchPlan,
  scopes: TimelineScopes,
): Promise<void> {
  const deeds = removals.flatMap(({ timelineId, user, address, message }) => {
    if (address === undefined) return [];
    const { serverId } = scopes.get(timelineId) ?? {};
    return [{ user, address, serverId, userId: message.authorId, subjectId: message.id }];
  });
  await recordAudits(db, 'message:deleted', deeds);
}

/** Stores the plan. Returns the changed messages by id. */
async function store(
  db: Db,
  { added, rewrites, after }: BatchPlan,
  rooms: ReadonlyMap<string, LockedRoom>,
): Promise<Map<string, Message>> {
  const [rewritten, inserted] = await Promise.all([
    rewriteMessages(db, rewrites),
    // After the rewrites: a new message may quote a rewritten one.
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

/** The read positions of the authors: that of each author's last message, since `added` is in order of position. */
function readings(added: NewMessage[]): (ReadPosition & { userId: string })[] {
  const furthest = new Map<string, ReadPosition & { userId: string }>();
  for (const { authorId: userId, timelineId, position } of added)
    furthest.set(`${userId} ${timelineId}`, { userId, timelineId, position });
  return [...furthest.values()];
}
