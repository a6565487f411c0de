/**
 * Timelines that could not be locked at once: a kick is under way in their server, or another node is writing there.
 * Their writes wait here, each timeline's in order of arrival, and hold up nobody else's. A few timelines wait in line
 * for their lock, each by itself: PostgreSQL wakes them as soon as it is free. The others are tried together, again
 * and again, until one of those places is free: most can be had a moment later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatError } from '../../shared/failure.ts';
import { settleBatch, take, type Queued } from './batch.ts';
import type { Flush, Write } from './writer.ts';

/** In milliseconds: how long a write waits for its timeline, and how often that is tried. */
const patience = 8_000;
const soonest = 2;
const latest = 32;
/** Of each timeline in a batch, so that one with very many leaves room for the others. */
const mostOfEach = 100;
/** So many wait in line at once: each keeps a connection. */
const mostInLine = 4;

export interface HeldLane {
  /** What waits for a timeline, or undefined if it is not held. */
  queueOf(timelineId: string): Queued[] | undefined;
  /** Takes over, in order of arrival, what was left out of a batch and all that came after it. */
  add(writes: Queued[]): void;
  depth(): number;
}

interface HeldTimeline {
  queue: Queued[];
  /** What waits for it is being written, or tried to be. */
  isTaken: boolean;
}

type Timelines = Map<string, HeldTimeline>;

export function openHeldLane(flush: Flush): HeldLane {
  const timelines: Timelines = new Map();
  let inLine = 0;
  let isTrying = false;

  /** Fills the places in line with those that have waited the longest, and has the others tried together. */
  function goOn(): void {
    for (const timelineId of untaken().slice(0, mostInLine - inLine)) void waitInLine(timelineId);
    if (!isTrying && untaken().length > 0) void keepTrying();
  }

  const untaken = () => [...timelines].flatMap(([id, { isTaken }]) => (isTaken ? [] : [id]));

  /** A batch at a time, so that the others get their turn too. */
  async function waitInLine(timelineId: string): Promise<void> {
    inLine += 1;
    await write(timelines, [timelineId], (batch) => flush(batch, 'in turn'));
    inLine -= 1;
    goOn();
  }

  async function keepTrying(): Promise<void> {
    isTrying = true;
    let pause = soonest;
    for (;;) {
      await sleep(pause * (0.5 + Math.random()));
      const together = untaken();
      if (together.length === 0) break;
      const held = await write(timelines, together, (batch) => flush(batch, 'at once'));
      pause = held < together.length ? soonest : Math.min(pause * 2, latest);
    }
    isTrying = false;
  }

  return {
    queueOf: (timelineId) => timelines.get(timelineId)?.queue,
    add(writes) {
      for (const queued of writes) {
        const { timelineId } = queued.write;
        const timeline = timelines.get(timelineId) ?? { queue: [], isTaken: false };
        timeline.queue.push(queued);
        timelines.set(timelineId, timeline);
      }
      goOn();
    },
    depth: () => [...timelines.values()].reduce((sum, { queue }) => sum + queue.length, 0),
  };
}

/** Writes what waits for these. Answers with how many are held still. */
async function write(
  timelines: Timelines,
  timelineIds: string[],
  flush: (batch: Write[]) => ReturnType<Flush>,
): Promise<number> {
  const batch: Queued[] = [];
  for (const timelineId of timelineIds) {
    const timeline = timelines.get(timelineId);
    if (timeline === undefined) continue;
    timeline.isTaken = true;
    refuseLate(timeline.queue);
    take(timeline.queue, batch, mostOfEach);
  }
  const left = batch.length === 0 ? [] : await settleBatch(flush, batch);
  for (const timelineId of timelineIds) {
    const timeline = timelines.get(timelineId);
    if (timeline === undefined) continue;
    // Before what came meanwhile.
    timeline.queue.unshift(...left.filter(({ write }) => write.timelineId === timelineId));
    // A timeline that was tried goes behind those that there was no room for.
    timeline.isTaken = false;
    timelines.delete(timelineId);
    if (timeline.queue.length > 0) timelines.set(timelineId, timeline);
  }
  return new Set(left.map(({ write }) => write.timelineId)).size;
}

function refuseLate(queue: Queued[]): void {
  const tooLong = performance.now() - patience;
  const isLate = ({ since }: Queued) => since < tooLong;
  const busy = () =>
    new ChatError('busy', 'This channel or conversation is busy. Try again shortly.', {
      retryAfterMs: 1_000,
    });
  for (const { reject } of queue.filter(isLate)) reject(busy());
  queue.splice(0, queue.length, ...queue.filter((queued) => !isLate(queued)));
}
