/**
 * Timelines that could not be locked at once: a kick is under way in their server, or another node is writing there.
 * Their writes wait here, each timeline's in order of arrival, and hold up nobody else's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatError } from '../../shared/failure.ts';
import { settle, take, type Queued } from './batch.ts';
import type { Flush } from './writer.ts';

/** In milliseconds: how long a write waits for its timeline, and how often that is tried. */
const patience = 5_000;
const soonest = 2;
const latest = 32;

/** Of each timeline in a batch, so that one with very many leaves room for the others. */
const mostOfEach = 100;

export interface HeldLane {
  /** What waits for a timeline, or undefined if it is not held. */
  queueOf(timelineId: string): Queued[] | undefined;
  /** Takes over, in order of arrival, what was left out of a batch and all that came after it. */
  add(writes: Queued[]): void;
  depth(): number;
}

export function openHeldLane(flush: Flush): HeldLane {
  const queues = new Map<string, Queued[]>();
  let isTrying = false;

  async function keepTrying(): Promise<void> {
    isTrying = true;
    let pause = soonest;
    while (queues.size > 0) {
      await sleep(pause * (0.5 + Math.random()));
      refuseLate(queues);
      const batch = takeOfEach(queues);
      if (batch.length === 0) break;
      const left = await settle(flush, batch);
      putBack(queues, batch, left);
      pause = left.length < batch.length ? soonest : Math.min(pause * 2, latest);
    }
    isTrying = false;
  }

  return {
    queueOf: (timelineId) => queues.get(timelineId),
    add(writes) {
      for (const queued of writes) {
        const { timelineId } = queued.write;
        queues.set(timelineId, [...(queues.get(timelineId) ?? []), queued]);
      }
      if (!isTrying && queues.size > 0) void keepTrying();
    },
    depth: () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0),
  };
}

function takeOfEach(queues: Map<string, Queued[]>): Queued[] {
  const batch: Queued[] = [];
  for (const queue of queues.values()) take(queue, batch, mostOfEach);
  return batch;
}

/** Those that were left go before what came after them; a timeline that was tried goes behind those that were not. */
function putBack(queues: Map<string, Queued[]>, batch: Queued[], left: Queued[]): void {
  for (const timelineId of new Set(batch.map(({ write }) => write.timelineId))) {
    const later = queues.get(timelineId) ?? [];
    queues.delete(timelineId);
    const queue = [...left.filter(({ write }) => write.timelineId === timelineId), ...later];
    if (queue.length > 0) queues.set(timelineId, queue);
  }
}

function refuseLate(queues: Map<string, Queued[]>): void {
  const tooLong = performance.now() - patience;
  for (const [timelineId, queue] of queues) {
    const isLate = ({ since }: Queued) => since < tooLong;
    for (const { reject } of queue.filter(isLate))
      reject(
        new ChatError('busy', 'This place is busy. Try again shortly.', { retryAfterMs: 1_000 }),
      );
    const stays = queue.filter((queued) => !isLate(queued));
    if (stays.length === 0) queues.delete(timelineId);
    else queues.set(timelineId, stays);
  }
}
