/** Where somebody is in a timeline: what they are led to, where they read on, how far they have seen. */
import { connection } from '../connection/connection.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { readIn, unreadIn } from '../reads/badges.ts';
import { noteRead, unmark } from '../reads/mark-read.ts';
import { reads } from '../reads/reads.svelte.ts';
import { attention } from '../ui/attention.svelte.ts';
import { isGone } from './lines.ts';
import type { Timeline } from './timeline.svelte.ts';
import { nextPosition } from './window.ts';

/** The message that an address names. */
export interface Address {
  position: number;
}

/** What is to be brought into view: a message, so many pixels below the upper edge or in the upper third; or the end. */
export type ScrollTarget = (Address & { top?: number }) | 'latest';

export class ReadingPosition {
  readonly #timeline: Timeline;
  /** The position of the first message that I had not read when I came. */
  firstNew = $state<number>();
  /** When that was said, once it is known. */
  newSince = $state<number>();
  /** Until it is in view, nothing on the screen counts as read. */
  sought = $state.raw<ScrollTarget>();
  /** The position that an address led to. */
  marked = $state<number>();
  #seenTo = $state(0);
  /** Of the mark that I came to: reading on to the end takes it away. */
  readonly #found: number | undefined;
  /** The version of the last mark that I know of. */
  #heeded: number | undefined;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    const known = reads.of(timeline.id);
    this.#found = this.#heeded = known?.mark?.version;
    if (!known || unreadIn(known) === 0) return;
    this.firstNew = readIn(known) + 1;
    this.sought = { position: this.firstNew };
  }

  /** The newest position, whether it is here or not. */
  get last() {
    const { id, window } = this.#timeline;
    return Math.max(nextPosition(window) - 1, reads.of(id)?.last ?? 0);
  }

  /** How many are new below what I have seen. */
  get below() {
    const { id, window } = this.#timeline;
    const seen = Math.max(this.#seenTo, reads.of(id)?.read ?? this.last);
    const gone = window.rows.filter((row) => row.position > seen && isGone(row));
    return Math.max(0, this.last - seen - gone.length);
  }

  go({ position }: Address) {
    this.marked = position;
    this.sought = { position };
  }

  /** Whether anything here is. */
  get isUnread() {
    return reads.unread(this.#timeline.id) > 0;
  }

  /** One that is set while this is open, here or on another device, stays until I am done with it. */
  heedMark() {
    const { mark } = reads.of(this.#timeline.id) ?? {};
    if (typeof mark?.position !== 'number' || mark.version === this.#heeded) return;
    this.#heeded = mark.version;
    this.firstNew = mark.position;
    this.newSince = undefined;
    this.#holds({ position: mark.position });
  }

  /** All that was new may have been taken back. */
  heedDeletion() {
    const { rows, reachesNewest } = this.#timeline.window;
    const at = rows.findIndex(({ position }) => position === this.firstNew);
    if (at >= 0 && reachesNewest && rows.slice(at).every(({ deletedAt }) => deletedAt))
      this.firstNew = undefined;
  }

  toFirstNew() {
    if (this.firstNew !== undefined) this.sought = { position: this.firstNew };
  }

  /**
   * Whether what is sought is here. Else it is fetched, once that can be; what does not exist, or cannot be
   * fetched, is not sought any longer.
   */
  async find(sought: ScrollTarget): Promise<boolean> {
    const timeline = this.#timeline;
    if (this.#holds(sought)) return true;
    if (timeline.loading || connection.state.is !== 'ready') return false;
    if (sought === 'latest') await timeline.load('newest');
    else if (sought.position <= this.last) await timeline.load(sought.position);
    if (!this.#holds(sought) && this.sought === sought) this.#giveUp(sought);
    return false;
  }

  #giveUp(sought: ScrollTarget) {
    this.sought = undefined;
    if (sought === 'latest' || sought.position !== this.marked || this.#timeline.failure) return;
    this.marked = undefined;
    notices.tell('That message doesn’t exist.');
  }

  /** It is on the screen, or the place where it was is. */
  found() {
    const { sought, marked } = this;
    this.sought = undefined;
    if (sought === 'latest' || sought?.position !== marked) return;
    const row = this.#timeline.window.rows.find(({ position }) => position === marked);
    if (!row || !isGone(row)) return;
    this.marked = undefined;
    notices.tell('That message was deleted.');
  }

  /** Whether its row is here, shown or not. */
  isHere(position: number) {
    return this.#holds({ position });
  }

  /** Somebody sees the end. */
  seeEnd() {
    const { id, entered, window } = this.#timeline;
    const last = nextPosition(window) - 1;
    this.#seenTo = last;
    if (!attention.here || !entered || !window.reachesNewest) return;
    noteRead(id, last);
    if (reads.of(id)?.mark?.version === this.#found) unmark(id);
  }

  /** Somebody reads on from where they were. What they skip, as by following a link, stays unread. */
  see({ from, to }: { from: number; to: number }) {
    this.#seenTo = Math.max(this.#seenTo, to);
    const { id, entered } = this.#timeline;
    const read = reads.of(id)?.read ?? Infinity;
    if (attention.here && entered && from <= read + 1 && to > read) noteRead(id, to);
  }

  /** All is read, seen or not. */
  markRead() {
    this.#seenTo = this.last;
    noteRead(this.#timeline.id, this.last);
    unmark(this.#timeline.id);
    this.firstNew = undefined;
  }

  /** I have answered: nothing above is new any longer. */
  answer() {
    unmark(this.#timeline.id);
    this.firstNew = undefined;
  }

  /** On to the end, away from where an address led. */
  toLatest() {
    this.marked = undefined;
    this.sought = 'latest';
  }

  #holds(sought: ScrollTarget) {
    const { rows, reachesNewest } = this.#timeline.window;
    if (sought === 'latest') return reachesNewest;
    const row = rows.find(({ position }) => position === sought.position);
    if (row && row.position === this.firstNew) this.newSince ??= Date.parse(row.createdAt);
    return row !== undefined;
  }
}
