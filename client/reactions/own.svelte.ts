/** The user's own reactions that a row does not name: rows are the same for everyone and name only the first people. */
import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import type { Reaction } from '../../shared/reactions.ts';
import { account } from '../accounts/account.svelte.ts';
import { send } from '../session/socket.ts';
import { ByMessage } from './by-message.ts';

const own = new ByMessage<{ emoji: readonly string[]; asOf: number }>(1_000);

export const forgetOwn = (timelineId: string): void => own.forget(timelineId);

export const askedAt = (messageId: string): number => own.get(messageId)?.asOf ?? 0;

/** True if the row names only some of the people, and not this user. */
const isOpen = ({ count, userIds }: Reaction) =>
  userIds.length < count && !userIds.includes(account.id);

export const hasOpenKinds = ({ reactions = [] }: Message) => reactions.some(isOpen);

export const isMine = (messageId: string, kind: Reaction): boolean =>
  kind.userIds.includes(account.id) ||
  (isOpen(kind) && own.get(messageId)?.emoji.includes(kind.emoji) === true);

/** Messages to ask about, collected because rows come into view together. */
let asked: Pick<Message, 'id' | 'timelineId'>[] = [];

export function askWhichAreMine(message: Message): void {
  if (asked.length === 0) queueMicrotask(() => void askAll());
  asked.push(message);
}

async function askAll(): Promise<void> {
  const all = asked;
  asked = [];
  for (const timelineId of new Set(all.map(({ timelineId }) => timelineId))) {
    const ids = all.filter((one) => one.timelineId === timelineId).map(({ id }) => id);
    for (let from = 0; from < ids.length; from += limits.page)
      await ask(timelineId, ids.slice(from, from + limits.page));
  }
}

/** Without a response, keeps the previous answer. */
async function ask(timelineId: string, messageIds: string[]): Promise<void> {
  const asOf = performance.now();
  const answer = await send('reaction:mine', { timelineId, messageIds }).catch(() => undefined);
  if (!answer) return;
  for (const id of messageIds)
    own.set({ id, timelineId }, { emoji: answer.reactions[id] ?? [], asOf });
}
