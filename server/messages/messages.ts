import { v7 } from 'uuid';
import { personIdsIn } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import { Message } from '../../shared/messages.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { peopleMentioned } from '../people/people.ts';
import { readTransaction } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import { timelineFor, timelineOfMessage } from './access.ts';
import type { PartWriter } from './part.ts';
import { findPage, findPositionAt } from './store.ts';
import { writerOn } from './node-writer.ts';

export { findFitting as readMessages } from './store.ts';

/** Sends a message. The same id sent again is the same message. */
export async function sendMessage(
  caller: Caller,
  { timelineId, body = '', id = v7(), ...ask }: Parsed<'message:send'>,
): Promise<Message> {
  const { node, user } = caller;
  await takeBytes(caller, body);
  return writerOn(node).write({ do: 'send', user, timelineId, id, body, ask });
}

export async function editMessage(
  caller: Caller,
  { messageId: id, body, base }: Parsed<'message:edit'>,
): Promise<Message> {
  const { node, db, user } = caller;
  await takeBytes(caller, body);
  const timelineId = await timelineOfMessage(db, id);
  return writerOn(node).write({ do: 'edit', user, timelineId, id, body, base });
}

/** Limits the bytes that guests write in a day, because anyone can create guests, as often as they like. */
async function takeBytes({ node, user }: Caller, body: string): Promise<void> {
  if (user.kind === 'guest') await node.limits.take('guestBytes', user.id, Buffer.byteLength(body));
}

export async function deleteMessage(
  { node, db, user, address }: Caller,
  { messageId: id }: Parsed<'message:delete'>,
): Promise<Message> {
  const timelineId = await timelineOfMessage(db, id);
  return writerOn(node).write({ do: 'delete', user, address, timelineId, id });
}

/** Changes a feature's part of a message, such as a pin. A state that is set already stays unchanged. */
export async function changePart<A>(
  { node, db, user }: Pick<Caller, 'node' | 'db' | 'user'>,
  part: PartWriter<A>,
  id: string,
  ask: A,
): Promise<Pick<Message, 'version'>> {
  const timelineId = await timelineOfMessage(db, id);
  const { version } = await writerOn(node).write({ do: 'part', part, user, timelineId, id, ask });
  return { version };
}

/** A page in ascending order of position, tombstones included. Without a position or a time, the newest page. */
export async function listMessages(
  caller: Caller,
  { timelineId, since, limit = limits.pageDefault, ...start }: Parsed<'message:list'>,
): Promise<Output<'message:list'>> {
  return readTransaction(caller.db, async (db) => {
    await timelineFor(db, caller, timelineId, 'see');
    const { before, around } = start;
    const after =
      since === undefined ? start.after : (await findPositionAt(db, timelineId, since)) - 1;
    const messages = await findPage(db, timelineId, { before, after, around, limit });
    const first = messages[0]?.position ?? after ?? before ?? 1;
    const last = messages.at(-1)?.position ?? before ?? after ?? 0;
    const [newer] = await findPage(db, timelineId, { after: last, limit: 1 });
    return {
      messages,
      people: await peopleMentioned(db, messages, personIdsIn(Message)),
      more: { before: first > 1, after: newer !== undefined },
    };
  });
}
