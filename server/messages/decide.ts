/** Decides what each write of a batch does: in order of arrival, under the locks, before anything is stored. */
import { v7 } from 'uuid';
import { conflict, forbidden, notFound, type ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { LockedRoom } from '../database/locks.ts';
import { whoMay } from '../servers/access.ts';
import type { PartFields, Quotable } from './part.ts';
import { fieldsOfSend } from './message-parts.ts';
import type { NewMessage, Rewrite } from './writing-store.ts';
import type { Write } from './write.ts';

/** A message after a write: its text and the fields of features. */
export interface Draft {
  body: string;
  fields: PartFields;
  /** Why a feature refuses the write. */
  refusal?: ChatError | undefined;
}

/** One draft for each write. `resolved` has the fields of features that need more than other messages. */
export function draftsOf(
  batch: readonly Write[],
  stored: ReadonlyMap<string, Message>,
  resolved: ReadonlyMap<Write, ReturnType<typeof fieldsOfSend>>,
): Draft[] {
  // A message can reply to one that is sent in the same batch.
  const sent = new Map<string, Quotable>(
    batch.flatMap((write) =>
      write.do === 'send'
        ? [[write.id, { ...write, authorId: write.user.id, position: 0, version: 0 }]]
        : [],
    ),
  );
  return batch.map((write) => {
    const known = stored.get(write.id);
    if (write.do === 'delete') return { body: '', fields: {} };
    if (write.do !== 'send')
      return { body: write.do === 'edit' ? write.body : (known?.body ?? ''), fields: known ?? {} };
    const { body, timelineId, ask = {} } = write;
    // Sent again: the stored message stays as it is.
    if (known !== undefined) return { body, fields: {} };
    const own = fieldsOfSend(ask, timelineId, (id) => stored.get(id) ?? sent.get(id));
    const more = resolved.get(write);
    return {
      body,
      fields: { ...own.fields, ...more?.fields },
      refusal: own.refusal ?? more?.refusal,
    };
  });
}

export interface Given {
  rooms: ReadonlyMap<string, LockedRoom>;
  stored: ReadonlyMap<string, Message>;
  drafts: readonly Draft[];
}

/** The refused writes, by their index in the batch. */
export function refusalsOf(
  batch: readonly Write[],
  { rooms, stored, drafts }: Given,
  rightsOf: (write: Write) => ReadonlySet<Permission>,
): Map<number, ChatError> {
  const refusals = new Map<number, ChatError>();
  for (const [i, write] of batch.entries()) {
    const refusal = rooms.has(write.timelineId)
      ? (refuse(write, stored.get(write.id), rightsOf(write)) ?? drafts[i]?.refusal)
      : notFound();
    if (refusal !== undefined) refusals.set(i, refusal);
  }
  return refusals;
}

/** Checks the rights first: without `see` the answer is `not_found`, whatever else is wrong. */
function refuse(
  write: Write,
  known: Message | undefined,
  rights: ReadonlySet<Permission>,
): ChatError | undefined {
  if (!rights.has('see')) return notFound();
  const needed = permissionFor(write);
  if (!rights.has(needed)) return forbidden(whoMay(needed));
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
  if (write.do === 'edit' && !isAuthor) return forbidden('Only its author can edit a message.');
  if (write.do === 'edit' && known.kind !== undefined) return conflict('This can’t be edited.');
  if (known.deletedAt !== undefined) return conflict('This message was deleted.');
  const isStale = write.do === 'edit' && (write.base ?? known.version) !== known.version;
  return isStale && known.body !== write.body
    ? conflict('This message was edited elsewhere.')
    : undefined;
}

/** Authors may delete their own message wherever they can see it. */
function permissionFor(write: Write): Permission {
  if (write.do === 'part') return write.part.permissionFor(write.ask);
  return write.do === 'delete' ? 'see' : 'send';
}

export interface BatchPlan {
  added: NewMessage[];
  rewrites: Rewrite[];
  /** Deletions of other people's messages, for the audit log. */
  removals: (Extract<Write, { do: 'delete' }> & { message: Message })[];
  /** All deleted messages, as they were before. */
  deleted: Message[];
  /** The ids of the messages whose text changes. */
  reworded: Set<string>;
  /** Each room's version and last position after the batch. */
  after: Map<string, LockedRoom>;
}

/** What to store for the writes that were not refused. A write that changes nothing is left out. */
export function planOf(
  writes: readonly { write: Write; draft: Draft; line?: PartFields | undefined }[],
  { rooms, stored }: Given,
  fieldsOf: ReadonlyMap<string, PartFields>,
): BatchPlan {
  const plan: BatchPlan = {
    added: [],
    rewrites: [],
    removals: [],
    deleted: [],
    reworded: new Set(),
    after: new Map([...rooms].map(([id, room]) => [id, { ...room }])),
  };
  const changed = new Set<string>();
  for (const { write, draft, line } of writes) {
    const known = stored.get(write.id);
    const room = plan.after.get(write.timelineId);
    const changes = write.do === 'part' ? fieldsOf.has(write.id) : changesWords(write, known);
    // Several writes of a batch to one message make one change of it.
    if (room === undefined || !changes || changed.has(write.id)) continue;
    changed.add(write.id);
    room.version += 1;
    put(plan, { write, draft, known, room, fields: fieldsOf.get(write.id) ?? {} }, rooms);
    if (line === undefined) continue;
    room.version += 1;
    add(plan, { ...write, id: v7(), body: '', fields: line }, room, rooms);
  }
  return plan;
}

/** False for a message that is already stored, an edit to the same text, and a message that is already deleted. */
function changesWords(write: Exclude<Write, { do: 'part' }>, known: Message | undefined): boolean {
  if (write.do === 'send') return known === undefined;
  return write.do === 'edit' ? known?.body !== write.body : known?.deletedAt === undefined;
}

interface Step {
  write: Write;
  draft: Draft;
  known: Message | undefined;
  /** The room after this write. */
  room: LockedRoom;
  /** The fields that a feature changes. */
  fields: PartFields;
}

function put(
  plan: BatchPlan,
  { write, draft, known, room, fields }: Step,
  rooms: ReadonlyMap<string, LockedRoom>,
): void {
  const { id, user } = write;
  const { version } = room;
  if (write.do !== 'part') plan.reworded.add(id);
  if (write.do === 'send') add(plan, { ...write, ...draft }, room, rooms);
  else if (write.do === 'delete') {
    const removed = known?.authorId === user.id ? undefined : known;
    const deletedBy = removed === undefined ? null : user.id;
    plan.rewrites.push({ id, version, body: null, isEdited: false, deletedBy, fields: {} });
    if (known !== undefined) plan.deleted.push(known);
    if (removed !== undefined) plan.removals.push({ ...write, message: removed });
  } else {
    const isEdited = write.do === 'edit';
    const kept = { ...draft.fields, ...fields };
    plan.rewrites.push({ id, version, body: draft.body, isEdited, deletedBy: null, fields: kept });
  }
}

/** Adds a message at the end of its timeline. `room` already has the message's version. */
function add(
  plan: BatchPlan,
  { id, timelineId, user, body, fields }: Pick<Write, 'id' | 'timelineId' | 'user'> & Draft,
  room: LockedRoom,
  rooms: ReadonlyMap<string, LockedRoom>,
): void {
  room.lastPosition += 1;
  const after = rooms.get(timelineId)?.lastPosition ?? 0;
  const place = { position: room.lastPosition, version: room.version, after };
  plan.added.push({ id, timelineId, authorId: user.id, ...place, body, fields });
}
