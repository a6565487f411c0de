/** What I say of messages with one emoji: shown at once, and taken back if the server refuses it. */
import type { Message } from '../../shared/messages.ts';
import type { Reaction } from '../../shared/reactions.ts';
import { account } from '../accounts/account.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { words } from '../session/error-text.ts';
import { send } from '../session/socket.ts';
import { ByMessage } from './by-message.ts';
import { askedAt, forgetOwn, isMine } from './own.svelte.ts';

export interface Shown extends Reaction {
  mine: boolean;
}

interface Wish {
  on: boolean;
  /** From this version on the row counts it. Nothing until the server has answered. */
  since?: number;
  /** When it has: what is asked later knows better. */
  at?: number;
}

const wishes = new ByMessage<Readonly<Record<string, Wish>>>(1_000);

export function forgetReactions(timelineId: string): void {
  wishes.forget(timelineId);
  forgetOwn(timelineId);
}

/** A message’s reactions as I have them. */
export function reactionsOf({ id, version, reactions = [] }: Message): Shown[] {
  const wanted = wishes.get(id) ?? {};
  const isKnown = (wanted: string) => reactions.some(({ emoji }) => emoji === wanted);
  const added = Object.entries(wanted)
    .filter(([emoji, { on, since = Infinity }]) => on && since > version && !isKnown(emoji))
    .map(([emoji]): Shown => ({ emoji, count: 1, userIds: [account.id], mine: true }));
  const counted = reactions.map((kind) => shown(id, kind, wanted[kind.emoji], version));
  return [...counted, ...added].filter(({ count }) => count > 0);
}

function shown(id: string, kind: Reaction, wish: Wish | undefined, version: number): Shown {
  const { count, userIds } = kind;
  const wasMine = isMine(id, kind);
  if (!wish) return { ...kind, mine: wasMine };
  // Beyond those who stand in the row only I know that I am one of them.
  if ((wish.since ?? Infinity) <= version)
    return {
      ...kind,
      mine:
        (wish.at ?? 0) > askedAt(id)
          ? userIds.includes(account.id) || (wish.on && userIds.length < count)
          : wasMine,
    };
  return { ...kind, count: count + Number(wish.on) - Number(wasMine), mine: wish.on };
}

/** Adds my reaction, or takes it back. */
export async function react(message: Message, emoji: string, on: boolean): Promise<void> {
  const { id } = message;
  const wish: Wish = { on };
  put(message, emoji, wish);
  try {
    const { version } = await send('message:react', { messageId: id, emoji, on });
    if (wishes.get(id)?.[emoji] === wish)
      put(message, emoji, { on, since: version, at: performance.now() });
  } catch (error) {
    if (wishes.get(id)?.[emoji] === wish) put(message, emoji, undefined);
    notices.tell(words(error));
  }
}

function put(message: Message, emoji: string, wish: Wish | undefined): void {
  const { [emoji]: _, ...others } = wishes.get(message.id) ?? {};
  wishes.set(message, wish ? { ...others, [emoji]: wish } : others);
}
