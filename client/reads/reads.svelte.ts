/** How far I have read, and what is unread, in every timeline that I can see. */
import { SvelteMap } from 'svelte/reactivity';
import type { Badges } from '../../shared/reads.ts';
import { hear, leave, mentionsIn, replace, unreadIn, type Held, type News } from './badges.ts';

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** The whole, or a part of it. */
interface Answer {
  timelines?: Badges | undefined;
  moreTimelines?: string | undefined;
}

class Reads {
  readonly #known = new SvelteMap<string, Held>();
  /** What the server has not confirmed that I read. */
  readonly #mine = new Map<string, number>();
  #asOf: ReadonlyMap<string, Held> = new Map();
  #since: News[] = [];
  #isAsked = false;
  /** What has come of the whole, and after which timeline there is more. */
  #part: Badges = {};
  #rest: string | undefined;

  of(timelineId: string): Held | undefined {
    return this.#known.get(timelineId);
  }

  unread(timelineId: string) {
    return unreadIn(this.#known.get(timelineId));
  }

  mentionsOf(timelineId: string) {
    return mentionsIn(this.#known.get(timelineId));
  }

  /** How much is for me of what I have not read: all that is direct, and what mentions me elsewhere. */
  forMe(isDirect: (timelineId: string) => boolean) {
    return sum(
      [...this.#known].map(([id, badge]) => (isDirect(id) ? unreadIn : mentionsIn)(badge)),
    );
  }

  mentionsInServer(serverId: string) {
    return sum(
      [...this.#known.values()].filter((badge) => badge.serverId === serverId).map(mentionsIn),
    );
  }

  /** Whether anything is unread, but for timelines that are of no concern. */
  anyBut(isQuiet: (timelineId: string) => boolean) {
    return [...this.#known].some(([id, badge]) => unreadIn(badge) > 0 && !isQuiet(id));
  }

  /** Whether anything is in a server, as far as it is known where things are. */
  anyIn(serverId: string) {
    return [...this.#known.values()].some(
      (badge) => badge.serverId === serverId && unreadIn(badge) > 0,
    );
  }

  hear(news: News) {
    if (this.#isAsked) this.#since.push(news);
    hear(this.#known, news);
  }

  /** When that was said which is heard of just now, without its time: later than all that is known, by whatever clock. */
  get justNow(): string {
    const known = [...this.#known.values()].map(({ at }) => (at ? Date.parse(at) + 1 : 0));
    return new Date(Math.max(Date.now(), ...known)).toISOString();
  }

  leave(serverId: string) {
    leave(this.#known, serverId);
  }

  /** With `ready`: it is older than what was heard since the connection stood. */
  begin(whole: Answer) {
    this.#settle();
    this.#isAsked = true;
    this.answer(whole);
  }

  /** What is asked for now: the whole, or the rest of it; nothing if that is on its way already. */
  ask(): true | string | undefined {
    const rest = this.#rest;
    this.#rest = undefined;
    if (this.#isAsked) return rest;
    this.#isAsked = true;
    this.#asOf = new Map(this.#known);
    return true;
  }

  /** Some of the whole has come, and the rest is to be asked for. */
  get rest() {
    return this.#rest;
  }

  /** The whole has come, or some of it; or will not. */
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

  /** I have read this far. Answers whether that is news to the server. */
  readTo(timelineId: string, position: number): boolean {
    const known = this.of(timelineId);
    if (known && position <= known.read && known.certain === undefined) return false;
    this.#mine.set(timelineId, position);
    this.hear({ id: timelineId, read: position });
    return true;
  }

  /** What the server does not know yet. */
  get unconfirmed(): [timelineId: string, position: number][] {
    return [...this.#mine];
  }

  confirm(timelineId: string, position: number) {
    if ((this.#mine.get(timelineId) ?? Infinity) <= position) this.#mine.delete(timelineId);
    this.hear({ id: timelineId, read: position });
  }

  /** It will never know: the timeline is no longer ours. */
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
