import { SmilePlus } from 'lucide';
import type { Message } from '../../shared/messages.ts';
import { quickEmoji } from '../emoji/habits.ts';
import { pickEmoji } from '../emoji/lazy.ts';
import type { MessagePart } from '../messages/part.ts';
import Reactions from './Reactions.svelte';
import { canReact } from './can-react.ts';
import { forgetReactions, react } from './reactions.svelte.ts';

export const reactionPart: MessagePart = {
  Below: Reactions,
  forget: forgetReactions,
  actions: ({ line: { message }, serverId }) =>
    !canReact(serverId)
      ? []
      : [
          ...quickEmoji().map((sign) => ({
            ...{ label: `React with ${sign}`, icon: SmilePlus, sign, look: 'plain' as const },
            isFrequent: true as const,
            act: () => {
              addReaction(message, sign);
            },
          })),
          {
            ...{ label: 'Add reaction', icon: SmilePlus, look: 'plain' as const },
            isFrequent: true as const,
            act: (event) => pickReaction(message, serverId, event),
          },
        ],
  keys: [
    {
      ...{ keys: [':'], does: 'Add reaction' },
      act: ({ line: { message }, serverId, event }) => pickReaction(message, serverId, event),
    },
  ],
};

function pickReaction(
  message: Message | undefined,
  serverId: string | undefined,
  event: Event | undefined,
): boolean {
  if (!canReact(serverId)) return false;
  const opener = event?.currentTarget instanceof Element ? event.target : undefined;
  pickEmoji(opener instanceof Element ? opener : document.body, serverId, (sign) => {
    addReaction(message, sign);
  });
  return true;
}

function addReaction(message: Message | undefined, sign: string): void {
  if (message) void react(message, sign, true);
}
