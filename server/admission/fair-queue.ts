/**
 * A fair queue for the work that accounts ask of a node. Only a few pieces of work run at a time, and fewer while the
 * machine is under pressure. Three turns in four go to the account that has used the least time recently, however
 * much the others ask for. The fourth goes to the account that has waited longest, so that none waits for ever. While
 * there are free slots no account waits, except one that has used much while the machine is under pressure.
 *
 * Slots are added one by one, while all are taken. Pressure is noticed only after a moment; if all slots were open
 * from the start, a hundred accounts that come together would take them before that.
 *
 * Attack: a hundred guests use their limits in full, so that everyone else waits. Test: fair-queue.test.ts.
 */
import TinyQueue from 'tinyqueue';
import { ChatError } from '../../shared/failure.ts';
import { realClock, type Stop } from '../node/clock.ts';

/** How many pieces of work may run at a time while the machine has time left, and while it is under pressure. */
export interface Slots {
  free: number;
  pressed: number;
  /** In milliseconds. Work that takes longer gives its slot back: it waits for something else, such as a lock. */
  turnMs?: number;
  /**
   * A pause for heavy users while the machine is under pressure: after the work of one of them, the next of them begins
   * only after `rest` times the duration of that work. Light users, and work of other queues, get the processor.
   */
  rest?: number;
}

/** How much work may wait: of one account, and of all together. An account may always have one waiting. */
const maxWaiting = { each: 250, all: 1_000 };
/**
 * In milliseconds. `step`: the time between two added slots, as long as pressure may take to be noticed. `lasts`: how
 * long added slots stay when no more are needed than under pressure.
 */
const growth = { step: 200, lasts: 1_000 };
/** The half-life of the time that an account has used, in milliseconds. */
const halfLife = 10_000;
/** Who has used more milliseconds recently is a heavy user: about the time of one handshake. */
const much = 20;
/** After so many turns, accounts that have used nothing for a while are removed. */
const forgetEvery = 1_000;

/** The time that each account has used recently. Several queues may share one. */
export interface Usage {
  add(who: string, ms: number): void;
  /** A level to compare accounts by: the lower, the less an account has used. */
  of(who: string): number;
  /** The time used recently, in milliseconds. */
  lately(who: string): number;
  /** How many accounts are remembered. */
  size(): number;
}

export function openUsage(clock = realClock): Usage {
  // A level is the logarithm of the time used plus the time of day in half-lives. So it decays without being rewritten.
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
    lately: (who) => msOf(used.get(who) ?? -Infinity),
    size: () => used.size,
  };
}

export interface FairQueue {
  /**
   * Runs `work` when it is this account's turn.
   * @throws ChatError busy, if too much work waits already; then `work` was not started
   */
  run<T>(who: string, work: () => Promise<T>): Promise<T>;
  /**
   * Waits for this account's turn. Resolves to the function that ends it.
   * @throws ChatError busy
   */
  enter(who: string): Promise<() => void>;
}

interface Needs {
  usage: Usage;
  isPressed: () => boolean;
}

export function openFairQueue(
  { usage, isPressed }: Needs,
  { turnMs = 250, rest = 0, ...slots }: Slots,
  clock = realClock,
): FairQueue {
  /** The waiting work by account. First comes the account whose last turn is the longest ago. */
  const waiting = new Map<string, (() => void)[]>();
  /** The waiting accounts by their level when they were added. It may be higher now; some may wait no longer. */
  const byUsage = new TinyQueue<{ who: string; level: number }>([], (a, b) => a.level - b.level);
  const listed = new Set<string>();
  const count = { running: 0, waiting: 0, turns: 0 };
  let room = { size: slots.pressed, since: clock.now(), neededAt: -Infinity };
  let restUntil = -Infinity;
  let stopLooking: Stop | undefined;

  const mustRest = (who: string) =>
    clock.now() < restUntil && usage.lately(who) > much && isPressed();

  const take = (who: string): (() => void) => {
    const began = clock.now();
    let isOver = false;
    count.running += 1;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      stop();
      count.running -= 1;
      const took = Math.min(clock.now() - began, turnMs);
      usage.add(who, took);
      if (usage.lately(who) > much) restUntil = Math.max(restUntil, clock.now() + took * rest);
      startWaiting();
    };
    const stop = clock.after(turnMs, leave);
    return leave;
  };

  const startWaiting = (): void => {
    stopLooking?.();
    stopLooking = undefined;
    while (waiting.size > 0 && hasRoom()) {
      const who = next();
      if (mustRest(who)) {
        list(who);
        break;
      }
      const theirs = waiting.get(who) ?? [];
      const begin = theirs.shift();
      // If the account has more work, it goes behind all others.
      waiting.delete(who);
      if (theirs.length > 0) wait(who, theirs);
      count.waiting -= 1;
      begin?.();
    }
    if (waiting.size > 0) lookAgain();
  };

  /** Tries again when there may be a free slot. */
  const lookAgain = () => {
    const left = restUntil - clock.now();
    stopLooking ??= clock.after(left > 0 ? Math.min(left, growth.step) : growth.step, startWaiting);
  };

  const hasRoom = (): boolean => {
    const [now, { running }] = [clock.now(), count];
    if (isPressed() || now - room.neededAt > growth.lasts)
      room = { ...room, size: slots.pressed, since: now };
    else if (running >= room.size && now - room.since >= growth.step)
      room = { ...room, size: Math.min(room.size + 1, slots.free), since: now };
    if (running >= slots.pressed) room.neededAt = now;
    return running < room.size;
  };

  const next = (): string => {
    const [longest = ''] = waiting.keys();
    if ((count.turns += 1) % 4 === 0 && !mustRest(longest)) return longest;
    for (let first = byUsage.pop(); first !== undefined; first = byUsage.pop()) {
      const { who, level } = first;
      listed.delete(who);
      if (!waiting.has(who)) continue;
      if (usage.of(who) <= level) return who;
      list(who);
    }
    return longest;
  };

  const list = (who: string) => {
    if (listed.has(who)) return;
    listed.add(who);
    byUsage.push({ who, level: usage.of(who) });
  };

  const wait = (who: string, theirs: (() => void)[]) => {
    waiting.set(who, theirs);
    list(who);
  };

  const enter = (who: string): Promise<() => void> => {
    if (waiting.size === 0 && hasRoom() && !mustRest(who)) return Promise.resolve(take(who));
    const mine = waiting.get(who) ?? [];
    const isFull = count.waiting >= maxWaiting.all && mine.length > 0;
    if (isFull || mine.length >= maxWaiting.each) throw overloaded(count.waiting);
    if (mine.length === 0) wait(who, mine);
    count.waiting += 1;
    lookAgain();
    return new Promise((resolve) => mine.push(() => resolve(take(who))));
  };

  return {
    enter,
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

/** The longer the queue is, the later the client tries again. */
const overloaded = (ahead: number) =>
  new ChatError('busy', 'The server is busy. Try again shortly.', {
    retryAfterMs: 1_000 + 10 * ahead,
  });
