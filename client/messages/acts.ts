/** What somebody does with a message, besides editing and deleting it. */
import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import { pickEmoji } from '../emoji/parts.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { react } from '../reactions/reactions.svelte.ts';
import { markUnread } from '../reads/mark-read.ts';
import { replying } from '../replies/replying.ts';
import { words } from '../session/error-text.ts';
import { focusComposer } from '../ui/focus.ts';
import type { Line } from './lines.ts';

export function pickReaction(message: Message | undefined, event: Event | undefined): true {
  const opener = event?.currentTarget instanceof Element ? event.target : undefined;
  pickEmoji(opener instanceof Element ? opener : document.body, (sign) => {
    if (message) void react(message, sign, true);
  });
  return true;
}

export function replyTo(timelineId: string, { id, authorId, body }: Line): true {
  const excerpt = body.slice(0, limits.excerpt);
  replying.set(timelineId, { id, authorId, excerpt, notify: true });
  focusComposer();
  return true;
}

/** Answers whether it worked. */
export async function markUnreadFrom(message: Message | undefined): Promise<boolean> {
  try {
    if (message) await markUnread(message.timelineId, message.position);
    return true;
  } catch (error) {
    notices.tell(words(error));
    return false;
  }
}
