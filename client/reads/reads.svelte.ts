import { SvelteMap } from 'svelte/reactivity';
import type { Badges } from '../../shared/reads.ts';
import {
  receiveNews,
  leave,
  mentionCount,
  replace,
  unreadIn,
  type Held,
  type BadgeUpdate,
} from './badges.ts';

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

interface Answer {
  timelines?: Badges | undefined;
  moreTimelines?: string | undefined;
}

class Reads {
  readonly #known = new SvelteMap<string, Held>();
  /** Read positions that the server has not confirmed. */
  readonly #mine = new Map<string, number>();
  #asOf: ReadonlyMap<string, Held> = new Map();
  #since: BadgeUpdate[] = [];
  #isAsked = false;
  /** The parts of a full answer received so far, and the timeline after which the next part begins. */
  #part: Badges = {};
  #rest: string | undefined;

  get all(): Iterable<[timelineId: string, badge: Held]> {
    return this.#known;
  }

  of(timelineId: string): Held | undefined {
    return this.#known.get(timelineId);
  }

  unread(timelineId: string) {
    return unreadIn(this.#known.get(timelineId));
  }

  mentionsOf(timelineId: string) {
    return mentionCount(this.#known.get(timelineId));
  }

  total(countIn: (timelineId: string) => number, serverId?: string) {
    return sum(
      [...this.#known].map(([id, badge]) =>
        serverId === undefined || badge.serverId === serverId ? countIn(id) : 0,
      ),
    );
  }

  anyBut(isQuiet: (timelineId: string) => boolean) {
    return [...this.#known].some(([id, badge]) => unreadIn(badge) > 0 && !isQuiet(id));
  }

  anyIn(serverId: string, isQuiet: (timelineId: string) => boolean) {
    return [...this.#known].some(
      ([id, badge]) => badge.serverId === serverId && unreadIn(badge) > 0 && !isQuiet(id),
    );
  }

  receive(news: BadgeUpdate) {
    if (this.#isAsked) this.#since.push(news);
    receiveNews(this.#known, news);
  }

  /** A time for activity that arrives without one: after every known time, even if this device's clock is behind. */
  get justNow(): string {
    const known = [...this.#known.values()].map(({ at }) => (at ? Date.parse(at) + 1 : 0));
    return new Date(Math.max(Date.now(), ...known)).toISOString();
  }

  leave(serverId: string) {
    leave(this.#known, serverId);
  }

  /** Takes the badges of `ready`, which are older than every update received since connecting. */
  begin(whole: Answer) {
    this.#settle();
    this.#isAsked = true;
    this.answer(whole);
  }

  ask(): true | string | undefined {
    const rest = this.#rest;
    this.#rest = undefined;
    if (this.#isAsked) return rest;
    this.#isAsked = true;
    this.#asOf = new Map(this.#known);
    return true;
  }

  get rest() {
    return this.#rest;
  }

  /** Takes a full answer or a part of one. Undefined means that the request failed. */
  answer(answer: Answer | undefined) {
    if (this.#isAsked && answer?.timelines) {
      Object.assign(this.#part, answer.timelines);
      this.#rest = answer.moreTimelines;
      if (this.#rest !== undefined) return;
      const mine = [...this.#mine].map(([id, read]) => ({ id, read }));
      replace(this.#known, this.#part, this.#asOf, [...this.#since, ...mine]);
    }
    this.#settle();
  }

  #settle() {
    this.#isAsked = false;
    this.#since = [];
    this.#part = {};
    this.#rest = undefined;
  }

  /** Records that the user has read this far. Returns whether the position must be sent to the server. */
  readTo(timelineId: string, position: number): boolean {
    const known = this.of(timelineId);
    if (known && position <= known.read && known.certain === undefined) return false;
    this.#mine.set(timelineId, position);
    this.receive({ id: timelineId, read: position });
    return true;
  }

  get unconfirmed(): [timelineId: string, position: number][] {
    return [...this.#mine];
  }

  confirm(timelineId: string, position: number) {
    if ((this.#mine.get(timelineId) ?? Infinity) <= position) this.#mine.delete(timelineId);
    this.receive({ id: timelineId, read: position });
  }

  /** Drops a position that the server refused, for example because the user can no longer see the timeline. */
  giveUp(timelineId: string) {
    this.#mine.delete(timelineId);
  }

  forget() {
    this.#known.clear();
    this.#mine.clear();
    this.#asOf = new Map();
    this.#settle();
  }
}

export const reads = new Reads();
