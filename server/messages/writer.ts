/**
 * Group commit. Every change of a timeline queues here; while one flush is being committed, what comes
 * meanwhile is the next one. Quiet: a batch of one, and nobody waits. Busy: hundreds a commit.
 */
import { busy } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import { realClock } from '../node/clock.ts';
import { enqueue, settleBatch, take, type Queued } from './batch.ts';
import { openHeldLane } from './held-timelines.ts';
import { openThrottle } from './throttle.ts';
import type { Flush, Write } from './write.ts';

export interface Writer {
  /**
   * Resolves when the change is durable.
   * @throws ChatError busy when too much is queued already or its timeline is held for too long, or the refusal
   */
  write(write: Write): Promise<Message>;
  /** How many wait. */
  depth(): number;
}

/** Two: with more, batches are small and each pays for its own transaction; with one, nothing is read while it commits. */
const lanes = 2;
const maxQueued = 10_000;
/** Of these. The rest is for timelines that can be written. */
const maxHeld = 5_000;

/** A timeline has its lane, so that its order is that of arrival; another lane's commit does not hold it up. */
export function openWriter(flush: Flush, clock = realClock): Writer {
  const queues: Queued[][] = Array.from({ length: lanes }, () => []);
  const flushing = new Set<number>();
  /** All sends that are not answered yet: by their key, since thousands may wait. */
  const sends = new Map<string, Promise<Message>>();
  const held = openHeldLane(flush);
  const throttle = openThrottle(clock, put);
  const depth = () =>
    queues.reduce((sum, queue) => sum + queue.length, held.depth() + throttle.depth());

  async function drain(lane: number): Promise<void> {
    const queue = queues[lane] ?? [];
    flushing.add(lane);
    while (queue.length > 0) {
      const batch: Queued[] = [];
      take(queue, batch);
      const left = await settleBatch((writes) => flush(writes, 'at once'), batch);
      if (left.length > 0) held.add([...left, ...takeBehind(left, queue)]);
    }
    flushing.delete(lane);
  }

  /** The same send once more, while the first is not answered: one message, and one answer for both. */
  function putOnce(write: Write): Promise<Message> {
    const key = [write.user.id, write.timelineId, write.id].join(' ');
    const twin = sends.get(key);
    if (twin !== undefined) return twin;
    const done = put(write);
    sends.set(key, done);
    const forget = () => sends.delete(key);
    done.then(forget, forget);
    return done;
  }

  async function put(write: Write): Promise<Message> {
    const heldQueue = held.queueOf(write.timelineId);
    if (depth() >= maxQueued || (heldQueue !== undefined && held.depth() >= maxHeld))
      throw busy('Too many messages are being sent. Try again.', 1_000);
    if (heldQueue !== undefined) return enqueue(heldQueue, write).done;
    const lane = laneOf(write.timelineId);
    const { done } = enqueue(queues[lane] ?? [], write);
    // At the end of this turn, so that what arrived together is written together.
    if (!flushing.has(lane)) {
      flushing.add(lane);
      // eslint-disable-next-line parley/heard -- `settleBatch` hands every rejection to the writes.
      setImmediate(() => void drain(lane));
    }
    return done;
  }

  return {
    depth,
    async write(write) {
      if (write.do === 'send') return putOnce(write);
      const isSpaced = write.do === 'part' && write.part.merges && depth() < maxQueued;
      return isSpaced ? throttle.write(write) : put(write);
    },
  };
}

const laneOf = (timelineId: string) => Number.parseInt(timelineId.slice(-4), 16) % lanes;

/** Takes what came meanwhile for the same timelines out of the queue: it must not overtake. */
function takeBehind(left: Queued[], queue: Queued[]): Queued[] {
  const timelineIds = new Set(left.map(({ write }) => write.timelineId));
  const isBehind = ({ write }: Queued) => timelineIds.has(write.timelineId);
  const behind = queue.filter(isBehind);
  queue.splice(0, queue.length, ...queue.filter((queued) => !isBehind(queued)));
  return behind;
}
