/** Messages that a link names and that are not here: asked for one after the other, and few. */
import { SvelteMap } from 'svelte/reactivity';
import { ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import { account } from '../accounts/account.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { send } from '../session/socket.ts';

const most = 200;
/** A message may be nothing but links: what does not fit is not asked for. */
const mostWaiting = 20;
const apartMs = 250;
/** After so many failures it is let be, until the connection comes anew. */
const mostTries = 3;

const found = new SvelteMap<string, Message | 'none'>();
const waiting: { timelineId: string; position: number; tries: number }[] = [];
let isAsking = false;

/** What one may read another may not. */
const keyOf = (timelineId: string, position: number) => `${account.id}/${timelineId}/${position}`;

export const lookedUp = (timelineId: string, position: number) =>
  found.get(keyOf(timelineId, position));

/** Not to be tracked by who asks: what others are answered with is no reason to ask again. */
export function lookUp(timelineId: string, position: number): void {
  const isKnown = (one: (typeof waiting)[number]) =>
    one.timelineId === timelineId && one.position === position;
  if (found.has(keyOf(timelineId, position)) || waiting.some(isKnown)) return;
  if (waiting.length >= mostWaiting) return;
  waiting.push({ timelineId, position, tries: 0 });
  if (!isAsking) void askNext();
}

async function askNext(): Promise<void> {
  const [next] = waiting;
  isAsking = next !== undefined;
  if (!next) return;
  const { timelineId, position } = next;
  let pause = apartMs;
  const key = keyOf(timelineId, position);
  try {
    const page = await send('message:list', { timelineId, around: position, limit: 1 });
    people.hear(page.people);
    const message = page.messages.find((one) => one.position === position);
    found.set(key, message ?? 'none');
  } catch (error) {
    const refusal = error instanceof ChatError ? error : undefined;
    if (refusal?.code === 'not_found') found.set(key, 'none');
    else if (++next.tries < mostTries) waiting.push(next);
    pause = refusal?.detail.retryAfterMs ?? apartMs;
  }
  const [oldest] = found.keys();
  if (found.size > most && oldest !== undefined) found.delete(oldest);
  waiting.shift();
  setTimeout(() => void askNext(), pause);
}
