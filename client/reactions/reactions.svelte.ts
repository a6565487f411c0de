/** Adds and removes reactions. Shows the change at once, and undoes it if the server refuses. */
import type { Message } from '../../shared/messages.ts';
import type { Reaction } from '../../shared/reactions.ts';
import { account } from '../accounts/account.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { errorText } from '../ui/error-text.ts';
import { send } from '../session/socket.ts';
import { ByMessage } from './by-message.ts';
import { askedAt, forgetOwn, isMine } from './own.svelte.ts';

export interface Shown extends Reaction {
  mine: boolean;
}

interface PendingReaction {
  on: boolean;
  /** The version from which the row counts it; undefined until the server has answered. */
  since?: number;
  /** When the server answered. A later request overrules it. */
  at?: number;
}

const pendingReactions = new ByMessage<Readonly<Record<string, PendingReaction>>>(1_000);

export function forgetReactions(timelineId: string): void {
  pendingReactions.forget(timelineId);
  forgetOwn(timelineId);
}

export function reactionsOf({ id, version, reactions = [] }: Message): Shown[] {
  const wanted = pendingReactions.get(id) ?? {};
  const isKnown = (wanted: string) => reactions.some(({ emoji }) => emoji === wanted);
  const added = Object.entries(wanted)
    .filter(([emoji, { on, since = Infinity }]) => on && since > version && !isKnown(emoji))
    .map(([emoji]): Shown => ({ emoji, count: 1, userIds: [account.id], mine: true }));
  const counted = reactions.map((kind) => shown(id, kind, wanted[kind.emoji], version));
  return [...counted, ...added].filter(({ count }) => count > 0);
}

function shown(
  id: string,
  kind: Reaction,
  pending: PendingReaction | undefined,
  version: number,
): Shown {
  const { count, userIds } = kind;
  const wasMine = isMine(id, kind);
  if (!pending) return { ...kind, mine: wasMine };
  // If the row does not name this user, only this client knows about the reaction.
  if ((pending.since ?? Infinity) <= version)
    return {
      ...kind,
      mine:
        (pending.at ?? 0) > askedAt(id)
          ? userIds.includes(account.id) || (pending.on && userIds.length < count)
          : wasMine,
    };
  return { ...kind, count: count + Number(pending.on) - Number(wasMine), mine: pending.on };
}

export async function react(message: Message, emoji: string, on: boolean): Promise<void> {
  const { id } = message;
  const pending: PendingReaction = { on };
  put(message, emoji, pending);
  try {
    const { version } = await send('message:react', { messageId: id, emoji, on });
    if (pendingReactions.get(id)?.[emoji] === pending)
      put(message, emoji, { on, since: version, at: performance.now() });
  } catch (error) {
    if (pendingReactions.get(id)?.[emoji] === pending) put(message, emoji, undefined);
    notices.show(errorText(error));
  }
}

function put(message: Message, emoji: string, pending: PendingReaction | undefined): void {
  const { [emoji]: _, ...others } = pendingReactions.get(message.id) ?? {};
  pendingReactions.set(message, pending ? { ...others, [emoji]: pending } : others);
}
