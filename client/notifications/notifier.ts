/**
 * Decides which messages notify on this device: those that arrived unread, each once. It uses no browser API, so that
 * the law of notifications can run it. It relies on badges alone. They are repaired after every loss, so nothing is
 * missed or shown twice when a node ends.
 */
import type { Message } from '../../shared/messages.ts';
import type { Badge } from '../../shared/reads.ts';
import { readIn } from '../reads/badges.ts';
import { waitBefore } from '../sync/backoff.ts';

export interface NotifiedMessage {
  timelineId: string;
  position: number;
}

export interface NotifierNeeds {
  /** Up to `limit` messages after a position; undefined if the user has lost access. A rejected call is retried. */
  list(timelineId: string, after: number, limit: number): Promise<Message[] | undefined>;
  badge(timelineId: string): Badge | undefined;
  /** False if nothing in a timeline can notify, to avoid useless requests. */
  canNotify(timelineId: string, isMentioned: boolean): boolean;
  notifies(message: Message, isMentioned: boolean): boolean;
  /** True if this tab shows notifications: only one of several does, and none while the timeline is visible. */
  isNotifying(timelineId: string): Promise<boolean>;
  /** `notified`: the notified, unread positions of the timeline, including this one. A rejected call is retried. */
  show(message: Message, notified: readonly number[]): Promise<void>;
  closeRead(isRead: (notified: NotifiedMessage) => boolean): void;
  after(ms: number, callback: () => void): void;
}

/** Pending: the messages after a position, and these before it. */
interface News {
  after: number;
  before: Set<number>;
  failures: number;
}

/** Delay before a notification, in milliseconds: a message that is visible on any device is read within this time. */
const graceMs = 2_000;
/** Maximum per timeline at a time, so that a long absence does not produce a notification for every message. */
const maxShown = 3;
const looksAt = 20;
/**
 * After this many failures to load, a timeline waits until another message becomes pending. After this many failures to
 * show its messages, they are dropped, because the browser will not show them.
 */
const tries = 5;

export class Notifier {
  readonly #needs: NotifierNeeds;
  /** The badges at the last `look`; undefined before the first. */
  #seen: Map<string, Pick<Badge, 'last' | 'mentions'>> | undefined;
  readonly #waiting = new Map<string, News>();
  /** Pending messages that failed to load and are not retried automatically. */
  readonly #due = new Map<string, News>();
  readonly #notified = new Map<string, Set<number>>();

  constructor(needs: NotifierNeeds) {
    this.#needs = needs;
  }

  /** Takes the current badges. Messages that are unread at the first call are not new. */
  look(badges: Iterable<[timelineId: string, badge: Badge]>): void {
    const isFirst = this.#seen === undefined;
    const seen = (this.#seen ??= new Map<string, Pick<Badge, 'last' | 'mentions'>>());
    for (const [id, badge] of badges) {
      // A timeline without a badge had been read.
      const before = seen.get(id) ?? (isFirst ? badge : { last: readIn(badge), mentions: [] });
      seen.set(id, { last: Math.max(before.last, badge.last), mentions: badge.mentions });
      const mentions = badge.mentions.filter((position) => !before.mentions.includes(position));
      if (badge.last > before.last || mentions.length > 0)
        this.#schedule(id, { after: before.last, before: new Set(mentions), failures: 0 });
    }
    for (const [id, news] of this.#due) this.#schedule(id, news);
    this.#due.clear();
    for (const [id, positions] of this.#notified)
      for (const position of positions) if (this.#isRead(id, position)) positions.delete(position);
    this.#needs.closeRead(({ timelineId, position }) => this.#isRead(timelineId, position));
  }

  /** Drops all state, because another user can sign in. Their unread messages are not new. */
  forget(): void {
    this.#seen = undefined;
    this.#waiting.clear();
    this.#due.clear();
    this.#notified.clear();
  }

  #schedule(id: string, { after, before, failures }: News, ms = graceMs): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.set(id, {
      after: Math.min(after, waiting?.after ?? after),
      before: new Set([...before, ...(waiting?.before ?? [])]),
      failures: Math.max(failures, waiting?.failures ?? 0),
    });
    if (waiting === undefined)
      this.#needs.after(ms, () => {
        void this.#notify(id);
      });
  }

  /** False after too many failures. */
  #retry(id: string, news: News): boolean {
    const failures = news.failures + 1;
    if (failures >= tries) return false;
    this.#schedule(id, { ...news, failures }, waitBefore(news.failures));
    return true;
  }

  async #notify(id: string): Promise<void> {
    const news = this.#waiting.get(id);
    this.#waiting.delete(id);
    const badge = this.#needs.badge(id);
    if (news === undefined || badge === undefined) return;
    const first = Math.min(news.after + 1, ...news.before);
    const start = Math.max(first - 1, readIn(badge), badge.last - looksAt);
    if (start >= badge.last) return;
    const isMentioned = badge.mentions.some((position) => position > start);
    if (!this.#needs.canNotify(id, isMentioned) || !(await this.#needs.isNotifying(id))) return;
    const { last } = badge;
    const seen = this.#seen;
    const answer = await this.#needs.list(id, start, last - start).catch(() => 'failed' as const);
    // Another user can have signed in meanwhile.
    if (this.#seen !== seen) return;
    if (answer === 'failed') {
      if (!this.#retry(id, news)) this.#due.set(id, news);
      return;
    }
    const messages = answer ?? [];
    const mentions = new Set(this.#needs.badge(id)?.mentions);
    const notified = this.#notified.get(id) ?? new Set();
    const wanted = messages
      .filter(
        (message) =>
          (message.position > news.after || news.before.has(message.position)) &&
          message.position <= last &&
          !notified.has(message.position) &&
          !this.#isRead(id, message.position) &&
          this.#needs.notifies(message, mentions.has(message.position)),
      )
      .slice(-maxShown);
    this.#notified.set(id, notified);
    for (const [i, message] of wanted.entries()) {
      // A mention that arrived meanwhile can have caused this notification already.
      if (notified.has(message.position)) continue;
      notified.add(message.position);
      try {
        await this.#needs.show(message, [...notified]);
      } catch {
        notified.delete(message.position);
        const rest = wanted.slice(i).map(({ position }) => position);
        if (this.#seen === seen) this.#retry(id, { ...news, after: last, before: new Set(rest) });
        return;
      }
      if (this.#seen !== seen) return;
    }
  }

  /** A timeline without a badge is read or gone. */
  #isRead(timelineId: string, position: number): boolean {
    const badge = this.#needs.badge(timelineId);
    return badge === undefined || position <= readIn(badge);
  }
}
