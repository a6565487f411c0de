/** The reading position in a timeline: scroll target, first new message, last position that the user has seen. */
import { connection } from '../connection/connection.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { readIn, unreadIn } from '../reads/badges.ts';
import { noteRead, unmark } from '../reads/mark-read.ts';
import { reads } from '../reads/reads.svelte.ts';
import { attention } from '../ui/attention.svelte.ts';
import { isGone } from './lines.ts';
import type { Timeline } from './timeline.svelte.ts';
import { nextPosition } from './window.ts';

export interface Address {
  position: number;
}

/** The scroll target: a message, `top` pixels below the upper edge or else in the upper third, or the end. */
export type ScrollTarget = (Address & { top?: number }) | 'latest';

export class ReadingPosition {
  readonly #timeline: Timeline;
  /** The position of the first message that was unread when the timeline was opened. */
  firstNew = $state<number>();
  /** When that message was sent, once known. */
  newSince = $state<number>();
  /** Nothing on the screen counts as read until the target is in view. */
  sought = $state.raw<ScrollTarget>();
  /** The position in the address, once reached. */
  marked = $state<number>();
  #seenTo = $state(0);
  /** The version of the mark at opening. Reading to the end removes this mark. */
  readonly #found: number | undefined;
  /** The version of the last mark that was handled. */
  #heeded: number | undefined;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    const known = reads.of(timeline.id);
    this.#found = this.#heeded = known?.mark?.version;
    if (!known || unreadIn(known) === 0) return;
    this.firstNew = readIn(known) + 1;
    this.sought = { position: this.firstNew };
  }

  /** The newest position, even if its message is not loaded. */
  get last() {
    const { id, window } = this.#timeline;
    return Math.max(nextPosition(window) - 1, reads.of(id)?.last ?? 0);
  }

  /** The number of new messages below the last one seen. */
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

  get isUnread() {
    return reads.unread(this.#timeline.id) > 0;
  }

  /** Handles a mark that is set while the timeline is open, on any device. Reading to the end does not remove it. */
  onMarkChanged() {
    const { mark } = reads.of(this.#timeline.id) ?? {};
    if (typeof mark?.position !== 'number' || mark.version === this.#heeded) return;
    this.#heeded = mark.version;
    this.firstNew = mark.position;
    this.newSince = undefined;
    this.#holds({ position: mark.position });
  }

  /** Hides the divider if all new messages were deleted. */
  onDeletion() {
    const { rows, reachesNewest } = this.#timeline.window;
    const at = rows.findIndex(({ position }) => position === this.firstNew);
    if (at >= 0 && reachesNewest && rows.slice(at).every(({ deletedAt }) => deletedAt))
      this.firstNew = undefined;
  }

  toFirstNew() {
    if (this.firstNew !== undefined) this.sought = { position: this.firstNew };
  }

  /** Returns whether the target is loaded. If not, loads it once connected; gives up one that is missing or fails. */
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
    notices.show('That message doesn’t exist.');
  }

  /** Called when the target, or the place where it was deleted, is on the screen. */
  found() {
    const { sought, marked } = this;
    this.sought = undefined;
    if (sought === 'latest' || sought?.position !== marked) return;
    const row = this.#timeline.window.rows.find(({ position }) => position === marked);
    if (!row || !isGone(row)) return;
    this.marked = undefined;
    notices.show('That message was deleted.');
  }

  isHere(position: number) {
    return this.#holds({ position });
  }

  seeEnd() {
    const { id, entered, window } = this.#timeline;
    const last = nextPosition(window) - 1;
    this.#seenTo = last;
    if (!attention.here || !entered || !window.reachesNewest) return;
    noteRead(id, last);
    if (reads.of(id)?.mark?.version === this.#found) unmark(id);
  }

  /** Rows in view count as read only if they continue the read messages; rows skipped by a link stay unread. */
  see({ from, to }: { from: number; to: number }) {
    this.#seenTo = Math.max(this.#seenTo, to);
    const { id, entered } = this.#timeline;
    const read = reads.of(id)?.read ?? Infinity;
    if (attention.here && entered && from <= read + 1 && to > read) noteRead(id, to);
  }

  /** Marks everything as read, even if not seen. */
  markRead() {
    this.#seenTo = this.last;
    noteRead(this.#timeline.id, this.last);
    unmark(this.#timeline.id);
    this.firstNew = undefined;
  }

  /** Called when the user has sent a message: nothing above it is new. */
  answer() {
    unmark(this.#timeline.id);
    this.firstNew = undefined;
  }

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
