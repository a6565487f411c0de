/** Decides what each write of a batch does: in order of arrival, under the locks, before anything is stored. */
import { v7 } from 'uuid';
import { conflict, forbidden, notFound, type ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { LockedRoom } from '../database/locks.ts';
import { refusalOf } from '../servers/access.ts';
import type { Draft, PartFields } from './part.ts';
import type { Prepared } from './message-parts.ts';
import type { NewMessage, Rewrite } from './writing-store.ts';
import type { Write } from './write.ts';

export interface WantedMessage {
  body: string;
  fields: PartFields;
  refusal?: ChatError | undefined;
}

export const wantedOf = (
  batch: readonly Write[],
  stored: ReadonlyMap<string, Message>,
  prepared: ReadonlyMap<Write, Prepared>,
): WantedMessage[] =>
  batch.map((write) => {
    const known = stored.get(write.id);
    const { fields, refusal } = prepared.get(write) ?? {};
    if (write.do === 'delete') return { body: '', fields: {} };
    if (write.do === 'part') return { body: known?.body ?? '', fields: known ?? {} };
    if (write.do === 'edit') {
      // Accepts an edit that is already stored, because clients resend edits after a lost answer.
      const isStored = known?.body === write.body;
      const why = isStored ? undefined : refusal;
      return { body: write.body, fields: { ...known, ...fields }, refusal: why };
    }
    if (known !== undefined) return { body: write.body, fields: {} };
    return { body: write.body, fields: { ...fields }, refusal };
  });

export interface Given {
  rooms: ReadonlyMap<string, LockedRoom>;
  stored: ReadonlyMap<string, Message>;
  wanted: readonly WantedMessage[];
}

/** The refused writes, by their index in the batch. */
export function refusalsOf(
  batch: readonly Write[],
  { rooms, stored, wanted }: Given,
  rightsOf: (write: Write) => ReadonlySet<Permission>,
): Map<number, ChatError> {
  const refusals = new Map<number, ChatError>();
  for (const [i, write] of batch.entries()) {
    const refusal = rooms.has(write.timelineId)
      ? (refuse(write, stored.get(write.id), rightsOf(write)) ?? wanted[i]?.refusal)
      : notFound();
    if (refusal !== undefined) refusals.set(i, refusal);
  }
  return refusals;
}

/** Checks the rights first, so that without `see` the answer is always `not_found`. */
function refuse(
  write: Write,
  known: Message | undefined,
  rights: ReadonlySet<Permission>,
): ChatError | undefined {
  if (!rights.has('see')) return notFound();
  const needed = permissionFor(write);
  if (!rights.has(needed)) return refusalOf(needed, rights);
  const isAuthor = known?.authorId === write.user.id;
  if (write.do === 'send') {
    const isSame = known === undefined || (isAuthor && known.timelineId === write.timelineId);
    return isSame ? undefined : conflict('This id is taken by another message.');
  }
  if (known === undefined) return notFound();
  if (write.do === 'delete')
    return isAuthor || rights.has('manage messages')
      ? undefined
      : refusalOf('manage messages', rights);
  if (write.do === 'edit' && !isAuthor) return forbidden('Only its author can edit a message.');
  if (write.do === 'edit' && known.kind !== undefined) return conflict('This can’t be edited.');
  if (known.deletedAt !== undefined) return conflict('This message was deleted.');
  const isStale = write.do === 'edit' && (write.base ?? known.version) !== known.version;
  return isStale && known.body !== write.body
    ? conflict('This message was edited elsewhere.')
    : undefined;
}

/** Authors can delete their own messages wherever they can see them. */
function permissionFor(write: Write): Permission {
  if (write.do === 'part') return write.part.permissionFor(write.ask);
  return write.do === 'delete' ? 'see' : 'send';
}

export interface BatchPlan {
  added: NewMessage[];
  rewrites: Rewrite[];
  /** Deletions of other people's messages, for the audit log. `deleted` has all deleted messages. */
  removals: (Extract<Write, { do: 'delete' }> & { message: Message })[];
  deleted: Message[];
  reworded: Draft[];
  after: Map<string, LockedRoom>;
}

export function planOf(
  writes: readonly { write: Write; wanted: WantedMessage; line?: PartFields | undefined }[],
  { rooms, stored }: Given,
  fieldsOf: ReadonlyMap<string, PartFields>,
): BatchPlan {
  const plan: BatchPlan = {
    added: [],
    rewrites: [],
    removals: [],
    deleted: [],
    reworded: [],
    after: new Map([...rooms].map(([id, room]) => [id, { ...room }])),
  };
  const changed = new Set<string>();
  for (const { write, wanted, line } of writes) {
    const known = stored.get(write.id);
    const room = plan.after.get(write.timelineId);
    const changes = write.do === 'part' ? fieldsOf.has(write.id) : changesWords(write, known);
    // Several writes to one message become one change of it.
    if (room === undefined || !changes || changed.has(write.id)) continue;
    changed.add(write.id);
    room.version += 1;
    put(plan, { write, wanted, known, room, fields: fieldsOf.get(write.id) ?? {} }, rooms);
    if (line === undefined) continue;
    room.version += 1;
    add(plan, { ...write, id: v7(), body: '', fields: line }, room, rooms);
  }
  return plan;
}

/** False for a stored message that is sent again, an edit to the same text, and a second deletion. */
function changesWords(write: Exclude<Write, { do: 'part' }>, known: Message | undefined): boolean {
  if (write.do === 'send') return known === undefined;
  return write.do === 'edit' ? known?.body !== write.body : known?.deletedAt === undefined;
}

interface Step {
  write: Write;
  wanted: WantedMessage;
  known: Message | undefined;
  /** The room after this write. */
  room: LockedRoom;
  fields: PartFields;
}

function put(
  plan: BatchPlan,
  { write, wanted, known, room, fields }: Step,
  rooms: ReadonlyMap<string, LockedRoom>,
): void {
  const { id, user } = write;
  const { version } = room;
  if (write.do === 'send') {
    plan.reworded.push(add(plan, { ...write, ...wanted }, room, rooms));
    return;
  }
  if (known === undefined) return;
  const now = { ...known, body: wanted.body, fields: { ...wanted.fields, ...fields } };
  if (write.do !== 'part') plan.reworded.push(now);
  if (write.do === 'delete') {
    const isOwn = known.authorId === user.id;
    const deletedBy = isOwn ? null : user.id;
    plan.rewrites.push({ id, version, body: null, isEdited: false, deletedBy, fields: {} });
    plan.deleted.push(known);
    if (!isOwn) plan.removals.push({ ...write, message: known });
  } else {
    const isEdited = write.do === 'edit';
    plan.rewrites.push({ ...now, version, isEdited, deletedBy: null });
  }
}

/** `room` already has the message’s version. */
function add(
  plan: BatchPlan,
  { id, timelineId, user, body, fields }: Pick<Write, 'id' | 'timelineId' | 'user'> & WantedMessage,
  room: LockedRoom,
  rooms: ReadonlyMap<string, LockedRoom>,
): Draft {
  room.lastPosition += 1;
  const after = rooms.get(timelineId)?.lastPosition ?? 0;
  const place = { position: room.lastPosition, version: room.version, after };
  const added = { id, timelineId, authorId: user.id, ...place, body, fields };
  plan.added.push(added);
  return added;
}
