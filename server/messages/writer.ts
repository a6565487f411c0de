/** Group commit: writes that arrive while a batch is being committed form the next one. At quiet times none waits. */
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
   * @throws ChatError busy when the queue is full or the timeline is held for too long, or the refusal of the write
   */
  write(write: Write): Promise<Message>;
  depth(): number;
}

/** With more, batches are small, each with its own transaction. With one, nothing is read during a commit. */
const lanes = 2;
const maxQueued = 10_000;
/** The most of them on held timelines. The rest is for timelines that can be written. */
const maxHeld = 5_000;

/** Each timeline belongs to one lane, which keeps its writes in order. Commits of another lane do not delay it. */
export function openWriter(flush: Flush, clock = realClock): Writer {
  const queues: Queued[][] = Array.from({ length: lanes }, () => []);
  const flushing = new Set<number>();
  /** Unanswered sends by key, because thousands can wait. */
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

  /** Joins a repeated send to the first one while that is unanswered: one message, and one answer for both. */
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
    // At the end of this tick, so that writes that arrive together are written together.
    if (!flushing.has(lane)) {
      flushing.add(lane);
      // eslint-disable-next-line parley/handled -- `settleBatch` hands every rejection to the writes.
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

/** Removes later writes of the same timelines from the queue, because they must not overtake the held ones. */
function takeBehind(left: Queued[], queue: Queued[]): Queued[] {
  const timelineIds = new Set(left.map(({ write }) => write.timelineId));
  const isBehind = ({ write }: Queued) => timelineIds.has(write.timelineId);
  const behind = queue.filter(isBehind);
  queue.splice(0, queue.length, ...queue.filter((queued) => !isBehind(queued)));
  return behind;
}
