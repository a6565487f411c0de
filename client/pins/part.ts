import { Pin, PinOff } from 'lucide';
import type { MessagePart, MessageTarget } from '../messages/part.ts';
import { canPinIn, pin, pins } from './pins.svelte.ts';

export const pinPart: MessagePart = {
  actions: (target) =>
    canPinIn(target.serverId)
      ? [
          isPinned(target)
            ? { label: 'Unpin', icon: PinOff, look: 'plain', act: () => toggle(target) }
            : { label: 'Pin', icon: Pin, look: 'plain', act: () => toggle(target) },
        ]
      : [],
  keys: [
    {
      ...{ keys: ['p'], does: 'Pin or unpin' },
      act: (target) => canPinIn(target.serverId) && toggle(target),
    },
  ],
  receive(timelineId, rows) {
    if (timelineId === pins.shown) pins.receive?.(rows);
  },
};

const isPinned = ({ line }: MessageTarget) => line.message?.pinned !== undefined;

function toggle(target: MessageTarget): true {
  pin(target.line.id, !isPinned(target));
  return true;
}
