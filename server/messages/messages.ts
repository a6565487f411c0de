import { v7 } from 'uuid';
import { conflict, forbidden, notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { peopleIn } from '../accounts/people.ts';
import type { Caller } from '../command.ts';
import { commit, type Work } from '../commit.ts';
import { snapshot, type Db } from '../database/database.ts';
import { timelineFor } from './access.ts';
import { appendMessage, findMessage, findPage, rewriteMessage } from './store.ts';

/** Says something. Sent again with the same id, it is the same message. */
export async function sendMessage(
  caller: Caller,
  { timelineId, body, id = v7() }: Parsed<'message:send'>,
): Promise<Message> {
  return changeTimeline(caller, timelineId, async (work) => {
    await timelineFor(work.db, caller, timelineId, 'send');
    const stored = await findMessage(work.db, id);
    if (stored !== undefined) return sameMessage(stored, caller, timelineId);
    const room = timelineRoom(timelineId);
    const version = work.next(room);
    const message = await appendMessage(work.db, {
      id,
      timelineId,
      authorId: caller.user.id,
      version,
      body,
    });
    work.tell(room, { type: 'message:created', version, message });
    return message;
  });
}

/** Only its author's repetition into the same timeline is the same message. */
function sameMessage(stored: Message, caller: Caller, timelineId: string): Message {
  if (stored.authorId === caller.user.id && stored.timelineId === timelineId) return stored;
  throw conflict('This id is taken by another message.');
}

/** Rewrites one's own message. The same text again changes nothing. */
export async function editMessage(
  caller: Caller,
  { messageId, body, base }: Parsed<'message:edit'>,
): Promise<Message> {
  return changeMessage(caller, messageId, async (work, message) => {
    if (message.authorId !== caller.user.id) throw forbidden('Only its author can edit a message.');
    if (message.deletedAt !== undefined) throw conflict('This message has been deleted.');
    if (message.body === body) return message;
    if (base !== undefined && base !== message.version)
      throw conflict('This message has been edited meanwhile.');
    const room = timelineRoom(message.timelineId);
    const version = work.next(room);
    const edited = await rewriteMessage(work.db, messageId, { version, body });
    work.tell(room, { type: 'message:updated', version, message: edited });
    return edited;
  });
}

/** Empties a message: one's own, or anybody's for those who keep order. What is deleted stays so. */
export async function deleteMessage(
  caller: Caller,
  { messageId }: Parsed<'message:delete'>,
): Promise<Message> {
  return changeMessage(caller, messageId, async (work, message) => {
    if (message.authorId !== caller.user.id)
      await timelineFor(work.db, caller, message.timelineId, 'manage messages');
    if (message.deletedAt !== undefined) return message;
    const room = timelineRoom(message.timelineId);
    const version = work.next(room);
    const tombstone = await rewriteMessage(work.db, messageId, { version, deleted: true });
    work.tell(room, { type: 'message:deleted', version, message: tombstone });
    return tombstone;
  });
}

/** A page by position, ascending, tombstones included; without a position, the newest. */
export async function listMessages(
  caller: Caller,
  { timelineId, before, after, around, limit = limits.pageDefault }: Parsed<'message:list'>,
): Promise<Output<'message:list'>> {
  return snapshot(caller.app.db, async (db) => {
    await timelineFor(db, caller, timelineId, 'see');
    const messages =
      around === undefined
        ? await findPage(db, timelineId, { before, after, limit })
        : await pageAround(db, timelineId, around, limit);
    const first = messages[0]?.position ?? after ?? before ?? 1;
    const last = messages.at(-1)?.position ?? before ?? after ?? 0;
    const [newer] = await findPage(db, timelineId, { after: last, limit: 1 });
    return {
      messages,
      people: await peopleIn(db, messages),
      more: { before: first > 1, after: newer !== undefined },
    };
  });
}

/** Half before, the rest from there on; what one side lacks the other gives. */
async function pageAround(db: Db, timelineId: string, around: number, limit: number) {
  const older = await findPage(db, timelineId, { before: around, limit });
  const newer = await findPage(db, timelineId, { after: around - 1, limit });
  const fromNewer = newer.slice(0, Math.max(limit - older.length, Math.ceil(limit / 2)));
  const fromOlder = older.slice(Math.max(0, older.length - (limit - fromNewer.length)));
  return [...fromOlder, ...fromNewer];
}

/** Finds whose message it is, then does `work` under the locks of its timeline, on the message as it then is. */
async function changeMessage(
  caller: Caller,
  messageId: string,
  work: (work: Work, message: Message) => Promise<Message>,
): Promise<Message> {
  const found = await findMessage(caller.app.db, messageId);
  if (found === undefined) throw notFound();
  return changeTimeline(caller, found.timelineId, async (under) => {
    await timelineFor(under.db, caller, found.timelineId, 'send');
    const message = await findMessage(under.db, messageId);
    if (message === undefined) throw notFound();
    return work(under, message);
  });
}

async function changeTimeline(
  caller: Caller,
  timelineId: string,
  work: (work: Work) => Promise<Message>,
): Promise<Message> {
  const { serverId } = await timelineFor(caller.app.db, caller, timelineId, 'see');
  return commit(caller.app, { relyOn: [serverId], rooms: [timelineRoom(timelineId)] }, work);
}
