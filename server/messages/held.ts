/**
 * Timelines that could not be locked at once: a kick is under way in their server, or another node is writing there.
 * Their writes wait here, each timeline's in order of arrival, and hold up nobody else's. Most can be had a moment
 * later, so they are tried together, again and again; one that never can waits in line for its lock, by itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ChatError } from '../../shared/failure.ts';
import { settleBatch, take, type Queued } from './batch.ts';
import type { Flush, Write } from './writer.ts';

/** In milliseconds: how long a write waits for its timeline, and how often that is tried. */
const patience = 8_000;
const soonest = 2;
const latest = 32;
/** Of each timeline in a batch, so that one with very many leaves room for the others. */
const mostOfEach = 100;
/** So often a timeline is tried among others; others may be quicker every time. */
const mostTries = 5;
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
  tries: number;
}

type Timelines = Map<string, HeldTimeline>;

export function openHeldLane(flush: Flush): HeldLane {
  const timelines: Timelines = new Map();
  const inLine = pLimit(mostInLine);
  let isTrying = false;

  async function keepTrying(): Promise<void> {
    isTrying = true;
    let pause = soonest;
    for (;;) {
      await sleep(pause * (0.5 + Math.random()));
      const together = [...timelines].filter(([, { tries }]) => tries < mostTries);
      if (together.length === 0) break;
      const batchIds = together.map(([timelineId]) => timelineId);
      const held = await write(timelines, batchIds, (batch) => flush(batch, 'at once'));
      pause = held.size < together.length ? soonest : Math.min(pause * 2, latest);
      for (const [timelineId, timeline] of together) {
        if (!held.has(timelineId)) continue;
        timeline.tries += 1;
        if (timeline.tries === mostTries) void inLine(() => waitInLine(timelineId));
      }
    }
    isTrying = false;
  }

  /** A batch at a time, so that the others get their turn too. */
  async function waitInLine(timelineId: string): Promise<void> {
    await write(timelines, [timelineId], (batch) => flush(batch, 'in turn'));
    if (timelines.has(timelineId)) void inLine(() => waitInLine(timelineId));
  }

  return {
    queueOf: (timelineId) => timelines.get(timelineId)?.queue,
    add(writes) {
      for (const queued of writes) {
        const { timelineId } = queued.write;
        const timeline = timelines.get(timelineId) ?? { queue: [], tries: 0 };
        timeline.queue.push(queued);
        timelines.set(timelineId, timeline);
      }
      if (!isTrying && timelines.size > 0) void keepTrying();
    },
    depth: () => [...timelines.values()].reduce((sum, { queue }) => sum + queue.length, 0),
  };
}

/** Writes what waits for these. Answers with those that are held still. */
async function write(
  timelines: Timelines,
  timelineIds: string[],
  flush: (batch: Write[]) => ReturnType<Flush>,
): Promise<ReadonlySet<string>> {
  const batch: Queued[] = [];
  for (const timelineId of timelineIds) {
    const { queue = [] } = timelines.get(timelineId) ?? {};
    refuseLate(queue);
    take(queue, batch, mostOfEach);
  }
  const left = batch.length === 0 ? [] : await settleBatch(flush, batch);
  for (const timelineId of timelineIds) {
    const timeline = timelines.get(timelineId);
    if (timeline === undefined) continue;
    // Before what came meanwhile.
    timeline.queue.unshift(...left.filter(({ write }) => write.timelineId === timelineId));
    // A timeline that was tried goes behind those that there was no room for.
    timelines.delete(timelineId);
    if (timeline.queue.length > 0) timelines.set(timelineId, timeline);
  }
  return new Set(left.map(({ write }) => write.timelineId));
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
