/**
 * Timelines that could not be locked without waiting, because a member is being removed from their server, or another
 * node is writing there. Their writes wait here, in order of arrival for each timeline, and delay no other timeline. Up
 * to `maxWaitingTimelines` wait for their lock in PostgreSQL, each on its own connection, and continue as soon as it is
 * free. The others are tried together at intervals, because most locks are free a moment later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { busy } from '../../shared/failure.ts';
import { settleBatch, take, type Queued } from './batch.ts';
import type { Flush, Write } from './write.ts';

/** In milliseconds: how long a write waits before it is refused, and the shortest and longest interval of tries. */
const holdForMs = 8_000;
const soonest = 2;
const latest = 32;
/** The most writes of one timeline in a batch, so that a busy one leaves room for the others. */
const maxPerTimeline = 100;
const maxWaitingTimelines = 4;

export interface HeldLane {
  queueOf(timelineId: string): Queued[] | undefined;
  /** Adds writes in order of arrival: first those left out of a batch, then those queued behind them. */
  add(writes: Queued[]): void;
  depth(): number;
}

interface HeldTimeline {
  queue: Queued[];
  /** Its writes are being written or tried now. */
  isTaken: boolean;
}

type Timelines = Map<string, HeldTimeline>;

export function openHeldLane(flush: Flush): HeldLane {
  const timelines: Timelines = new Map();
  let inLine = 0;
  let isTrying = false;

  function resume(): void {
    /* eslint-disable parley/handled -- `settleBatch` hands every rejection to the writes. */
    for (const timelineId of untaken().slice(0, maxWaitingTimelines - inLine))
      void waitInLine(timelineId);
    if (!isTrying && untaken().length > 0) void retryUntilTaken();
    /* eslint-enable parley/handled */
  }

  const untaken = () => [...timelines].flatMap(([id, { isTaken }]) => (isTaken ? [] : [id]));

  /** Writes one batch, then goes to the end, so that other timelines get their turn. */
  async function waitInLine(timelineId: string): Promise<void> {
    inLine += 1;
    await write(timelines, [timelineId], (batch) => flush(batch, 'in turn'));
    inLine -= 1;
    resume();
  }

  async function retryUntilTaken(): Promise<void> {
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
      resume();
    },
    depth: () => [...timelines.values()].reduce((sum, { queue }) => sum + queue.length, 0),
  };
}

/** Returns how many of the timelines are still held. */
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
    take(timeline.queue, batch, maxPerTimeline);
  }
  const left = batch.length === 0 ? [] : await settleBatch(flush, batch);
  for (const timelineId of timelineIds) {
    const timeline = timelines.get(timelineId);
    if (timeline === undefined) continue;
    timeline.queue.unshift(...left.filter(({ write }) => write.timelineId === timelineId));
    // Moves a timeline that was tried behind those that were not.
    timeline.isTaken = false;
    timelines.delete(timelineId);
    if (timeline.queue.length > 0) timelines.set(timelineId, timeline);
  }
  return new Set(left.map(({ write }) => write.timelineId)).size;
}

function refuseLate(queue: Queued[]): void {
  const tooLong = performance.now() - holdForMs;
  const isLate = ({ since }: Queued) => since < tooLong;
  for (const { reject } of queue.filter(isLate))
    reject(busy('This channel or conversation is busy. Try again shortly.', 1_000));
  queue.splice(0, queue.length, ...queue.filter((queued) => !isLate(queued)));
}
