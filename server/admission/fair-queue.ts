/**
 * A fair queue for the work of accounts on a node. Only a few pieces of work run at a time, and fewer while the machine
 * is under pressure. Three turns of four go to the account with the least recent use, the fourth to the longest wait,
 * so that no account waits for ever. While there are free slots no account waits, except a heavy user under pressure.
 *
 * Slots are added one by one, while all are taken. Pressure shows only after a delay: if all slots were open from the
 * start, a hundred accounts that arrive together would take them first.
 *
 * Attack: a hundred guests use their limits in full, so that everyone else waits. Test: fair-queue.test.ts.
 */
import TinyQueue from 'tinyqueue';
import { busy } from '../../shared/failure.ts';
import { realClock, type Clock, type Stop } from '../node/clock.ts';
import { Usage } from '../database/usage.ts';

/** Pieces of work that run at a time while the machine has time left, and while it is under pressure. */
export interface Slots {
  free: number;
  pressed: number;
  /** In milliseconds. Work that takes longer releases its slot, because it waits for something else, such as a lock. */
  turnMs?: number;
  /** Under pressure, the pause between heavy users, as a multiple of the work: light users get the processor. */
  rest?: number;
}

/** Bounds of the waiting work of one account, and of all together. Each account can always have one waiting. */
const maxWaiting = { each: 250, all: 1_000 };
/** In milliseconds. `step`: between two added slots, for pressure to show. `lasts`: how long unneeded slots stay. */
const growth = { step: 200, lasts: 1_000 };
/** In milliseconds: the recent use of an account decays by half in this time. */
const halfLife = 10_000;
/** Milliseconds of recent use beyond which an account is a heavy user: about one handshake. */
const much = 20;
export const newUsage = (clock = realClock) => new Usage(halfLife, () => clock.now());

interface Needs {
  usage: Usage;
  isPressed: () => boolean;
}

export class FairQueue {
  readonly #usage: Usage;
  readonly #isPressed: () => boolean;
  readonly #slots: Required<Slots>;
  readonly #clock: Clock;
  /** The waiting work by account, ordered by the time of the account's last turn. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The waiting accounts by their use when they were added. The use can be higher now; some no longer wait. */
  readonly #byUsage = new TinyQueue<{ who: string; level: number }>(
    [],
    (a, b) => a.level - b.level,
  );
  readonly #listed = new Set<string>();
  readonly #count = { running: 0, waiting: 0, turns: 0 };
  #room: { size: number; since: number; neededAt: number };
  #restUntil = -Infinity;
  #stopLooking: Stop | undefined;

  constructor({ usage, isPressed }: Needs, slots: Slots, clock = realClock) {
    this.#usage = usage;
    this.#isPressed = isPressed;
    this.#slots = { turnMs: 250, rest: 0, ...slots };
    this.#clock = clock;
    this.#room = { size: slots.pressed, since: clock.now(), neededAt: -Infinity };
  }

  /** @throws ChatError busy, if too much work waits already; then `work` was not started */
  async run<T>(who: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(who);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Waits for the account's turn, and resolves to the function that ends it. @throws ChatError busy */
  enter(who: string): Promise<() => void> {
    const isFirst = this.#waiting.size === 0;
    if (isFirst && this.#hasRoom() && !this.#isResting(who))
      return Promise.resolve(this.#take(who));
    const mine = this.#waiting.get(who) ?? [];
    const isFull = this.#count.waiting >= maxWaiting.all && mine.length > 0;
    if (isFull || mine.length >= maxWaiting.each) throw overloaded(this.#count.waiting);
    if (mine.length === 0) this.#wait(who, mine);
    this.#count.waiting += 1;
    this.#lookAgain();
    return new Promise((resolve) => mine.push(() => resolve(this.#take(who))));
  }

  #isResting(who: string): boolean {
    return (
      this.#clock.now() < this.#restUntil && this.#usage.lately(who) > much && this.#isPressed()
    );
  }

  #take(who: string): () => void {
    const { turnMs, rest } = this.#slots;
    const clock = this.#clock;
    const began = clock.now();
    let isOver = false;
    this.#count.running += 1;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      stop();
      this.#count.running -= 1;
      const took = Math.min(clock.now() - began, turnMs);
      this.#usage.add(who, took);
      if (this.#usage.lately(who) > much)
        this.#restUntil = Math.max(this.#restUntil, clock.now() + took * rest);
      this.#startWaiting();
    };
    const stop = clock.after(turnMs, leave);
    return leave;
  }

  #startWaiting(): void {
    this.#stopLooking?.();
    this.#stopLooking = undefined;
    while (this.#waiting.size > 0 && this.#hasRoom()) {
      const who = this.#next();
      if (this.#isResting(who)) {
        this.#list(who);
        break;
      }
      const theirs = this.#waiting.get(who) ?? [];
      const begin = theirs.shift();
      this.#waiting.delete(who);
      if (theirs.length > 0) this.#wait(who, theirs);
      this.#count.waiting -= 1;
      begin?.();
    }
    if (this.#waiting.size > 0) this.#lookAgain();
  }

  #lookAgain(): void {
    const left = this.#restUntil - this.#clock.now();
    const ms = left > 0 ? Math.min(left, growth.step) : growth.step;
    this.#stopLooking ??= this.#clock.after(ms, () => this.#startWaiting());
  }

  #hasRoom(): boolean {
    const { free, pressed } = this.#slots;
    const { running } = this.#count;
    const room = this.#room;
    const now = this.#clock.now();
    if (this.#isPressed() || now - room.neededAt > growth.lasts)
      Object.assign(room, { size: pressed, since: now });
    else if (running >= room.size && now - room.since >= growth.step)
      Object.assign(room, { size: Math.min(room.size + 1, free), since: now });
    if (running >= pressed) room.neededAt = now;
    return running < room.size;
  }

  #next(): string {
    const [longest = ''] = this.#waiting.keys();
    this.#count.turns += 1;
    if (this.#count.turns % 4 === 0 && !this.#isResting(longest)) return longest;
    const byUsage = this.#byUsage;
    for (let first = byUsage.pop(); first !== undefined; first = byUsage.pop()) {
      const { who, level } = first;
      this.#listed.delete(who);
      if (!this.#waiting.has(who)) continue;
      if (this.#usage.of(who) <= level) return who;
      this.#list(who);
    }
    return longest;
  }

  #list(who: string): void {
    if (this.#listed.has(who)) return;
    this.#listed.add(who);
    this.#byUsage.push({ who, level: this.#usage.of(who) });
  }

  #wait(who: string, theirs: (() => void)[]): void {
    this.#waiting.set(who, theirs);
    this.#list(who);
  }
}

const overloaded = (ahead: number) =>
  busy('The server is busy. Try again shortly.', 1_000 + 10 * ahead);
