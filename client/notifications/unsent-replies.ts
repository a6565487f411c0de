/** Sends the replies written in notifications that the service worker could not send (client/worker/replying.ts). */
import { account } from '../accounts/account.svelte.ts';
import { removeReply, savedReplies } from '../device/replies.ts';
import { timelines } from '../messages/messages.svelte.ts';
import { savedOutbox } from '../messages/saved-outbox.ts';
import { on } from '../session/socket.ts';

/** Moves the user’s replies to the outbox under the same ids, so that one that the server has is not stored twice. */
export async function takeReplies(): Promise<void> {
  // One tab at a time, because another one could have sent or withdrawn what this one has read.
  await navigator.locks.request('parley.replies', async () => {
    for (const [id, { userId, ...reply }] of await savedReplies()) {
      if (userId !== account.you?.id) continue;
      if (!savedOutbox.get(id)) savedOutbox.set(id, { ...reply, extras: {} });
      timelines.of(reply.timelineId).recall();
      await removeReply(id);
    }
  });
  timelines.flush();
}

on('ready', () => void takeReplies());
if ('serviceWorker' in navigator)
  navigator.serviceWorker.addEventListener('message', () => void takeReplies());
