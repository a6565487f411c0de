import { Reply as ReplyIcon } from 'lucide';
import { limits } from '../../shared/limits.ts';
import { account } from '../accounts/account.svelte.ts';
import { canPost } from '../channels/posting.ts';
import { members } from '../members/members.svelte.ts';
import type { MessagePart, MessageTarget } from '../messages/part.ts';
import { focusComposer } from '../ui/focus.ts';
import { lazy } from '../ui/lazy.ts';
import { forgetQuotes, receiveQuotes } from './received-quotes.svelte.ts';
import QuoteLine from './QuoteLine.svelte';
import { readReply, repliedTo, replying } from './replying.ts';

export const replyPart: MessagePart = {
  Above: QuoteLine,
  spoken(line, serverId) {
    const reply = repliedTo(line);
    return reply ? [`in reply to ${members.nameOf(serverId, reply.authorId)}`] : [];
  },
  mentionsMe: ({ message }) =>
    message?.replyTo?.authorId === account.id && message.replyTo.silent === undefined,
  startsGroup: (line) => repliedTo(line) !== undefined,
  actions: (target) =>
    canReply(target)
      ? [
          {
            ...{
              label: 'Reply',
              icon: ReplyIcon,
              look: 'plain' as const,
              isFrequent: true as const,
            },
            act: () => replyTo(target),
          },
        ]
      : [],
  keys: [{ keys: ['r'], does: 'Reply', act: replyTo }],
  Gesture: lazy(() => import('./SwipeToReply.svelte')),
  receive: receiveQuotes,
  forget: forgetQuotes,
  draft: {
    of(timelineId) {
      const reply = replying.get(timelineId);
      return reply ? { reply } : {};
    },
    clear(timelineId) {
      replying.delete(timelineId);
    },
    restore(timelineId, { reply }) {
      if (reply && !replying.get(timelineId)) replying.set(timelineId, reply);
    },
    read(saved) {
      const reply = readReply(saved.reply);
      return reply ? { reply } : {};
    },
    input: ({ reply }) => (reply ? { replyTo: reply.id, notify: reply.notify } : {}),
    Bar: lazy(() => import('./ReplyBar.svelte')),
  },
};

export const canReply = (target: MessageTarget | undefined): target is MessageTarget =>
  target !== undefined && canPost(target.serverId, target.timelineId);

/** False if the user cannot reply. */
export function replyTo(target: MessageTarget): boolean {
  if (!canReply(target)) return false;
  const {
    timelineId,
    line: { id, authorId, body },
  } = target;
  const excerpt = body.slice(0, limits.excerpt);
  replying.set(timelineId, { id, authorId, excerpt, notify: true });
  focusComposer();
  return true;
}
