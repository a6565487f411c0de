/**
 * Sends a reply written in a notification. Saves it first, under the id of its message, so that a page can send it later
 * if this fails (client/notifications/unsent-replies.ts).
 */
import { io } from 'socket.io-client';
import { ChatError } from '../../shared/failure.ts';
import { isReplySaved, removeReply, saveReply } from '../device/replies.ts';
import type { WrittenReply } from '../device/unsent.ts';
import { pause, retryAfterOf } from '../session/retry.ts';
import { Connection, protocol, socketOptions } from '../sync/connection.ts';
import { newId } from '../sync/ids.ts';
import { scope } from './scope.ts';

/** Browsers end a worker that handles one event for too long. */
const sendTimeoutMs = 20_000;

/** From client/notifications/showing.ts. */
interface Replyable {
  timelineId: string;
  path: string;
  replyAs: string;
}

export async function sendReply(notification: Notification, body: string): Promise<void> {
  const { timelineId, path, replyAs } = notification.data as Replyable;
  notification.close();
  const id = newId();
  const reply: WrittenReply = { userId: replyAs, timelineId, body, writtenAt: Date.now() };
  const isSaved = await saveReply(id, reply);
  const failure = await send(id, reply);
  if (failure === undefined) {
    await removeReply(id);
    return;
  }
  // A page has already moved it to the outbox.
  if (isSaved && (await isReplySaved(id)) === false) return;
  await scope.registration.showNotification('Reply not sent', {
    ...{ tag: `reply.${id}`, icon: '/icon.svg' },
    body: `${failure}\n${body}`,
    // A saved reply is in the outbox when a page next closes read notifications. It closes this one, too, because it has
    // no positions.
    data: isSaved ? { timelineId, path } : { path },
  });
  for (const tab of await scope.clients.matchAll({ type: 'window', includeUncontrolled: true }))
    tab.postMessage({ unsentReply: id });
}

/** Returns the reason why the message was not sent, or was not confirmed within `sendTimeoutMs`; undefined on success. */
async function send(id: string, reply: WrittenReply): Promise<string | undefined> {
  const ending = new AbortController();
  const ended = new Promise<string>((resolve) => {
    ending.signal.addEventListener('abort', () => {
      resolve(ending.signal.reason as string);
    });
  });
  const end = (reason: string) => {
    ending.abort(reason);
  };
  const timer = setTimeout(end, sendTimeoutMs, unreachable);
  const connection = new Connection(io({ ...socketOptions, auth: { protocol } }), {
    // Another user can have signed in after the notification was shown.
    prepare: async ({ you }) => you.id === reply.userId || end('You’re signed in as someone else.'),
    ready: () => undefined,
    changed: (state) => {
      if (state.is === 'ended') end(state.closing ? state.closing.reason : state.refusal.message);
    },
  });
  connection.open();
  const failure = await Promise.race([ended, trySending(connection, id, reply, ending.signal)]);
  clearTimeout(timer);
  end('done');
  connection.close();
  return failure;
}

const unreachable = 'Parley can’t be reached. Open it to try again.';

async function trySending(
  connection: Connection,
  id: string,
  { timelineId, body }: WrittenReply,
  stopped: AbortSignal,
): Promise<string | undefined> {
  while (!stopped.aborted) {
    try {
      await connection.send('message:send', { id, timelineId, body });
      return undefined;
    } catch (error) {
      const waitMs = retryAfterOf(error);
      if (waitMs === undefined) return error instanceof ChatError ? error.message : unreachable;
      await pause(waitMs, stopped).catch(() => undefined);
    }
  }
  return unreachable;
}
