/** All timelines of which something is held. */
import type { Message } from '../../shared/messages.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import type { SliceStore, RowChange } from '../sync/changes.ts';
import { reads } from '../reads/reads.svelte.ts';
import { on } from '../session/socket.ts';
import { Timeline } from './timeline.svelte.ts';
import { unsent } from './saved-outbox.ts';
import { nextPosition } from './window.ts';

class Timelines implements SliceStore<Message> {
  readonly #held = new Map<string, Timeline>();

  of(id: string): Timeline {
    const held = this.#held.get(id);
    if (held) return held;
    const timeline = new Timeline(id);
    this.#held.set(id, timeline);
    return timeline;
  }

  replace(room: Room, rows: readonly Message[]) {
    const { id } = splitRoom(room);
    this.of(id).replace(rows);
    const last = rows.at(-1);
    reads.hear({ id, newest: last?.position ?? 0, ...(last && { at: last.createdAt }) });
    noteMine(id, rows);
  }

  /** Messages are never removed, only emptied. */
  apply(room: Room, changes: readonly RowChange<Message>[]) {
    const { id } = splitRoom(room);
    const rows = changes.flatMap((change) => ('row' in change ? [change.row] : []));
    const timeline = this.of(id);
    const next = nextPosition(timeline.window);
    timeline.hear(rows);
    // An edited or deleted one was there before.
    for (const { position, createdAt } of rows)
      if (position >= next) reads.hear({ id, came: position, at: createdAt });
    noteMine(id, rows);
  }

  /** Emptied, not forgotten: whoever shows it sees it become empty. */
  drop(room: Room) {
    this.#held.get(splitRoom(room).id)?.clear();
  }

  /** What earlier visits could not send goes out now. */
  recall() {
    const ids = unsent.entries.map(([, { timelineId }]) => timelineId);
    for (const id of new Set(ids)) this.of(id).recall();
  }

  flush() {
    for (const timeline of this.#held.values()) void timeline.flush();
  }
}

/** Whoever writes has read up to there. */
function noteMine(id: string, rows: readonly Message[]): void {
  const mine = rows.filter(({ authorId }) => authorId === account.id);
  if (mine.length > 0) reads.hear({ id, read: Math.max(...mine.map(({ position }) => position)) });
}

export const timelines = new Timelines();

on('ready', () => {
  timelines.flush();
});
