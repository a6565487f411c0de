/** Loads messages that a link names and the client does not have, one at a time and only a few. */
import { SvelteMap } from 'svelte/reactivity';
import { ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import { account } from '../accounts/account.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { send } from '../session/socket.ts';

const maxCached = 200;
/** Lookups beyond this number are dropped, because a message can consist of links. */
const maxWaiting = 20;
const apartMs = 250;
/** After this many failures, lookups stop until the next reconnect. */
const maxTries = 3;

const found = new SvelteMap<string, Message | 'none'>();
const waiting: { timelineId: string; position: number; tries: number }[] = [];
let isAsking = false;

/** The user id is part of the key, because another user of this device can have different access. */
const keyOf = (timelineId: string, position: number) => `${account.id}/${timelineId}/${position}`;

export const lookedUp = (timelineId: string, position: number) =>
  found.get(keyOf(timelineId, position));

/** Must not be tracked by the caller, because the answers of other lookups are no reason to look up again. */
export function lookUp(timelineId: string, position: number): void {
  const isKnown = (one: (typeof waiting)[number]) =>
    one.timelineId === timelineId && one.position === position;
  if (found.has(keyOf(timelineId, position)) || waiting.some(isKnown)) return;
  if (waiting.length >= maxWaiting) return;
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
    people.receive(page.people);
    const message = page.messages.find((one) => one.position === position);
    found.set(key, message ?? 'none');
  } catch (error) {
    const refusal = error instanceof ChatError ? error : undefined;
    if (refusal?.code === 'not_found') found.set(key, 'none');
    else if (++next.tries < maxTries) waiting.push(next);
    pause = refusal?.detail.retryAfterMs ?? apartMs;
  }
  const [oldest] = found.keys();
  if (found.size > maxCached && oldest !== undefined) found.delete(oldest);
  waiting.shift();
  setTimeout(() => void askNext(), pause);
}
