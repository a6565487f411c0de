/**
 * One batch of writes as one transaction: lock what can be had at once, look, decide in order of arrival, store, tell.
 */
import type { App } from '../app.ts';
import type { ChatError } from '../../shared/failure.ts';
import { conflict, forbidden, notFound } from '../../shared/failure.ts';
import { namedIn } from '../../shared/mentions.ts';
import type { Message } from '../../shared/messages.ts';
import type { People } from '../../shared/people.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Reading } from '../../shared/reads.ts';
import { knownAmong, findPeople, type Call } from '../accounts/people.ts';
import { recordAudit } from '../audit/audit.ts';
import { blockedPairs } from '../blocks/access.ts';
import { attempt } from '../node/attempt.ts';
import { answer } from '../conversations/requests.ts';
import { query, transaction, type Db } from '../database/database.ts';
import {
  lockRights,
  lockRooms,
  tryLockRights,
  tryLockRooms,
  type LockedRoom,
} from '../database/locks.ts';
import { readAccessVersions } from '../realtime/access-version.ts';
import { keepMentions } from '../mentions/mentions.ts';
import type { Envelope } from '../realtime/node-messages.ts';
import { markReadByWriting } from '../reads/reads.ts';
import { whoMay } from '../servers/access.ts';
import { scopesOf, readRights, type Claim, type TimelineScopes } from './access.ts';
import {
  findMessages,
  insertMessages,
  rewriteMessages,
  type NewMessage,
  type Rewrite,
} from './store.ts';
import { envelopesOf } from './envelopes.ts';
import type { LockBusy, Locking, Outcome, Write } from './writer.ts';

/** Commits the batch, publishes what changed, and says what became of each write, or that its timeline is held. */
export async function flush(
  app: App,
  batch: Write[],
  locking: Locking,
): Promise<(Outcome | LockBusy)[]> {
  const { outcomes, envelopes, answers } = await transaction(app.db, (db) =>
    write(db, batch, locking),
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

async function write(db: Db, batch: Write[], locking: Locking): Promise<Written> {
  const locked = await lockTimelines(db, batch, locking);
  const isFree = ({ timelineId }: Write) => !locked.held.has(timelineId);
  const free = batch.filter(isFree);
  if (free.length === 0) return { outcomes: batch.map(() => 'held'), envelopes: [], answers: [] };
  const { outcomes, ...rest } = await writeLocked(db, free, locked);
  let next = 0;
  return {
    outcomes: batch.map((write) => (isFree(write) ? (outcomes[next++] ?? notFound()) : 'held')),
    ...rest,
  };
}

interface Locked {
  scopes: TimelineScopes;
  rooms: Map<string, LockedRoom>;
  /** Timelines that somebody else holds, or whose rights are about to change: they are left out. */
  held: ReadonlySet<string>;
}

/** At once: what one timeline has to wait for is no business of the others. In turn: of one alone. */
async function lockTimelines(db: Db, batch: Write[], locking: Locking): Promise<Locked> {
  const timelineIds = [...new Set(batch.map(({ timelineId }) => timelineId))];
  const scopes = await scopesOf(db, timelineIds);
  const locks = [...scopes.values()].map(({ lock }) => lock);
  if (locking === 'in turn') {
    await lockRights(db, { shared: locks });
    return { scopes, rooms: await lockRooms(db, timelineIds), held: new Set() };
  }
  const had = await tryLockRights(db, locks);
  const mayLock = (id: string) => had.has(scopes.get(id)?.lock ?? '') || !scopes.has(id);
  const { rooms, held } = await tryLockRooms(db, timelineIds.filter(mayLock));
  return {
    scopes,
    rooms,
    held: new Set([...held, ...timelineIds.filter((id) => !mayLock(id))]),
  };
}

async function writeLocked(
  db: Db,
  batch: Write[],
  { scopes, rooms }: Locked,
): Promise<Omit<Written, 'outcomes'> & { outcomes: Outcome[] }> {
  const scopeIds = [...new Set([...scopes.values()].map(({ scope }) => scope))];
  const versions = new Map((await readAccessVersions(db, scopeIds)).map((one) => [one.scope, one]));
  const accessVersionOf = (timelineId: string) => versions.get(scopes.get(timelineId)?.scope ?? '');
  const named = await findPeople(db, batch.flatMap(namedBy));
  const isKnown = await knownAmong(db, batch.flatMap(callsBy));
  const claims: Claim[] = [...batch, ...batch.flatMap((write) => claimsOf(write, named))];
  const { rightsOf, isPrivate, isRequest } = await readRights(db, claims, scopes);
  const isApart = await blockedPairs(db, batch.flatMap(pairsOf));
  const stored = await findMessages(
    db,
    batch.map(({ id }) => id),
  );
  const plan = decide(batch, rooms, stored, rightsOf);
  const changed = await store(db, plan, rooms);
  await markReadByWriting(db, readings(plan.added));
  const news = new Set(plan.added.map(({ id }) => id));
  const mentions = await keepMentions(
    db,
    [...changed.values()],
    ({ id }) => news.has(id),
    (userId, { timelineId, authorId }) => {
      const user = named[userId];
      const sees = user !== undefined && rightsOf({ user, timelineId }).has('see');
      return sees && !isApart(authorId, userId);
    },
  );
  await recordRemovals(db, plan, scopes);
  const outcomes = batch.map(
    ({ id }, i) => plan.refusals.get(i) ?? changed.get(id) ?? stored.get(id) ?? notFound(),
  );
  return {
    outcomes,
    answers: batch.filter((write) => news.has(write.id) && isRequest(write)),
    envelopes: await envelopesOf(db, rooms, changed, {
      writers: batch,
      named,
      isKnown,
      mentions,
      accessVersionOf,
      isPrivate,
    }),
  };
}

/** Deleting another's message leaves a trace; its text leaves none. */
async function recordRemovals(db: Db, { removals }: Plan, scopes: TimelineScopes): Promise<void> {
  for (const { timelineId, user, address, message } of removals)
    await recordAudit(
      db,
      { user, address },
      {
        action: 'message:deleted',
        serverId: scopes.get(timelineId)?.serverId,
        userId: message.authorId,
        subjectId: message.id,
      },
    );
}

const namedBy = (write: Write): string[] => ('body' in write ? namedIn(write.body) : []);

const callsBy = (write: Write): Call[] =>
  namedBy(write).map((userId) => ({ timelineId: write.timelineId, userId }));

/** Nobody is called by who blocks them, nor by whom they block. */
const pairsOf = (write: Write) => namedBy(write).map((id) => [write.user.id, id] as const);

/** Whom a write mentions must see it, too. */
const claimsOf = (write: Write, named: People): Claim[] =>
  namedBy(write).flatMap((id) => {
    const user = named[id];
    return user === undefined ? [] : [{ user, timelineId: write.timelineId }];
  });

interface Plan {
  added: NewMessage[];
  rewrites: Rewrite[];
  /** What somebody deletes of another's. */
  removals: (Extract<Write, { do: 'delete' }> & { message: Message })[];
  /** Writes that are refused, by their place in the batch. What is in none of these changes nothing. */
  refusals: Map<number, ChatError>;
  /** Each room's version and last position after all this. */
  after: Map<string, LockedRoom>;
}

function decide(
  batch: Write[],
  rooms: Map<string, LockedRoom>,
  stored: Map<string, Message>,
  rightsOf: (write: Write) => ReadonlySet<Permission>,
): Plan {
  const plan: Plan = {
    added: [],
    rewrites: [],
    removals: [],
    refusals: new Map(),
    after: new Map([...rooms].map(([id, room]) => [id, { ...room }])),
  };
  for (const [i, write] of batch.entries()) {
    const { id, timelineId } = write;
    const known = stored.get(id);
    const room = plan.after.get(timelineId);
    const refusal = room === undefined ? notFound() : refuse(write, known, rightsOf(write));
    if (refusal !== undefined) plan.refusals.set(i, refusal);
    else if (room !== undefined && changesAnything(write, known)) {
      room.version += 1;
      const { version } = room;
      if (write.do === 'send') {
        room.lastPosition += 1;
        plan.added.push({
          id,
          timelineId,
          authorId: write.user.id,
          position: room.lastPosition,
          version,
          body: write.body,
          after: rooms.get(timelineId)?.lastPosition ?? 0,
        });
      } else if (write.do === 'edit') {
        plan.rewrites.push({ id, version, body: write.body, deletedBy: null });
      } else {
        const removed = known?.authorId === write.user.id ? undefined : known;
        const deletedBy = removed === undefined ? null : write.user.id;
        plan.rewrites.push({ id, version, body: null, deletedBy });
        if (removed !== undefined) plan.removals.push({ ...write, message: removed });
      }
    }
  }
  return plan;
}

/** Why this write may not be, or undefined. Rights first: who may not see learns nothing else. */
function refuse(
  write: Write,
  known: Message | undefined,
  rights: ReadonlySet<Permission>,
): ChatError | undefined {
  if (!rights.has('see')) return notFound();
  // One’s own words can be taken back wherever they can be seen.
  if (!rights.has('send') && write.do !== 'delete') return forbidden(whoMay('send'));
  const isAuthor = known?.authorId === write.user.id;
  if (write.do === 'send') {
    const isSame = known === undefined || (isAuthor && known.timelineId === write.timelineId);
    return isSame ? undefined : conflict('This id is taken by another message.');
  }
  if (known === undefined) return notFound();
  if (write.do === 'delete')
    return isAuthor || rights.has('manage messages')
      ? undefined
      : forbidden(whoMay('manage messages'));
  if (!isAuthor) return forbidden('Only its author can edit a message.');
  if (known.deletedAt !== undefined) return conflict('This message was deleted.');
  const isStale = write.base !== undefined && write.base !== known.version;
  return isStale && known.body !== write.body
    ? conflict('This message was edited elsewhere.')
    : undefined;
}

/** What is so already, stays: a send that is stored, the same words, a deleted message deleted. */
function changesAnything(write: Write, known: Message | undefined): boolean {
  if (write.do === 'send') return known === undefined;
  return write.do === 'edit' ? known?.body !== write.body : known?.deletedAt === undefined;
}

/** Returns the messages as they now are, by id. */
async function store(
  db: Db,
  { added, rewrites, after }: Plan,
  rooms: Map<string, LockedRoom>,
): Promise<Map<string, Message>> {
  const messages = [...(await insertMessages(db, added)), ...(await rewriteMessages(db, rewrites))];
  const moved = [...after].filter(([id, { version }]) => version !== rooms.get(id)?.version);
  if (moved.length > 0)
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
  return new Map(messages.map((message) => [message.id, message]));
}

/** How far each author has read by writing: in order of position, so the last of theirs is the furthest. */
function readings(added: NewMessage[]): (Reading & { userId: string })[] {
  const furthest = new Map<string, Reading & { userId: string }>();
  for (const { authorId: userId, timelineId, position } of added)
    furthest.set(`${userId} ${timelineId}`, { userId, timelineId, position });
  return [...furthest.values()];
}
