/**
 * Whose turn it is on a node that many ask something of. Few things are under way at a time, very few while the
 * machine has nothing left. Of three turns in four the next is an account's that has used the least of late, however
 * much the others ask for; the fourth is of whoever has waited longest, so that nobody waits for ever. Nobody is made
 * to wait while there is room.
 */
import { ChatError } from '../../shared/failure.ts';
import { realClock } from '../node/clock.ts';

/** How many things are under way while the machine has time left, and while it has none. */
export interface Slots {
  free: number;
  pressed: number;
  /** What takes longer than that waits for something else, a lock or a far database: it is in nobody's way. */
  turnMs?: number;
}

/** How many may wait: of one account, and of all, where each account always has room for one. */
const mostWaiting = { each: 250, all: 1_000 };
/** After so many milliseconds half of what somebody has used is forgotten. */
const halfLife = 10_000;
/** After so many turns those are forgotten who have not been here for a while. */
const forgetEvery = 1_000;

/** What each account has used of late, in milliseconds; several queues may count together. */
export interface Usage {
  add(who: string, ms: number): void;
  /** To be compared with that of others: the less it is, the less they have used. */
  of(who: string): number;
  /** How many accounts are remembered. */
  size(): number;
}

export function openUsage(clock = realClock): Usage {
  // Logarithms, raised by the time: so what is stored needs no change as time goes by.
  const used = new Map<string, number>();
  const msOf = (level: number) => 2 ** (level - clock.now() / halfLife);
  let turns = 0;
  return {
    add(who, ms) {
      const before = used.get(who);
      const total = ms + (before === undefined ? 0 : msOf(before));
      if (total > 0) used.set(who, Math.log2(total) + clock.now() / halfLife);
      if ((turns += 1) % forgetEvery !== 0) return;
      for (const [one, level] of used) if (msOf(level) < 1) used.delete(one);
    },
    of: (who) => used.get(who) ?? -Infinity,
    size: () => used.size,
  };
}

export interface FairQueue {
  /**
   * Does `work` when it is this account's turn.
   * @throws ChatError busy, when too many wait already: before anything is done
   */
  run<T>(who: string, work: () => Promise<T>): Promise<T>;
}

interface Needs {
  usage: Usage;
  isPressed: () => boolean;
}

export function openFairQueue(
  { usage, isPressed }: Needs,
  { turnMs = 250, ...slots }: Slots,
  clock = realClock,
): FairQueue {
  /** By account, whose turn is the longest ago first. */
  const waiting = new Map<string, (() => void)[]>();
  const count = { running: 0, waiting: 0, turns: 0 };

  const take = (who: string): (() => void) => {
    const began = clock.now();
    let isOver = false;
    count.running += 1;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      stop();
      count.running -= 1;
      usage.add(who, Math.min(clock.now() - began, turnMs));
      letIn();
    };
    const stop = clock.after(turnMs, leave);
    return leave;
  };

  const letIn = (): void => {
    while (waiting.size > 0 && hasRoom()) {
      const who = next();
      const theirs = waiting.get(who) ?? [];
      const begin = theirs.shift();
      // Behind all others that wait, if they want more.
      waiting.delete(who);
      if (theirs.length > 0) waiting.set(who, theirs);
      count.waiting -= 1;
      begin?.();
    }
  };

  const hasRoom = () => count.running < (isPressed() ? slots.pressed : slots.free);

  const next = (): string => {
    const [longest = ''] = waiting.keys();
    if ((count.turns += 1) % 4 === 0) return longest;
    let [least, level] = [longest, usage.of(longest)];
    for (const who of waiting.keys())
      if (usage.of(who) < level) [least, level] = [who, usage.of(who)];
    return least;
  };

  const enter = (who: string): Promise<() => void> => {
    if (waiting.size === 0 && hasRoom()) return Promise.resolve(take(who));
    const mine = waiting.get(who) ?? [];
    const isFull = count.waiting >= mostWaiting.all && mine.length > 0;
    if (isFull || mine.length >= mostWaiting.each) throw overloaded(count.waiting);
    waiting.set(who, mine);
    count.waiting += 1;
    return new Promise((resolve) => mine.push(() => resolve(take(who))));
  };

  return {
    async run(who, work) {
      const leave = await enter(who);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

/** The longer the queue is, the later one comes back. */
const overloaded = (ahead: number) =>
  new ChatError('busy', 'The server is busy. Try again shortly.', {
    retryAfterMs: 1_000 + 10 * ahead,
  });
