import type { Message } from '../../shared/messages.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import type { SliceStore, RowChange } from '../sync/changes.ts';
import { reads } from '../reads/reads.svelte.ts';
import { on } from '../session/socket.ts';
import { Timeline } from './timeline.svelte.ts';
import { savedOutbox } from './saved-outbox.ts';
import { nextPosition } from './window.ts';

/** Matches the server’s snapshots. */
const maxSnapshotRows = 50;

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
    reads.receive({ id, newest: last?.position ?? 0, ...(last && { at: last.createdAt }) });
    noteMine(id, rows);
  }

  /** Messages are never removed, only emptied. */
  apply(room: Room, changes: readonly RowChange<Message>[]) {
    const { id } = splitRoom(room);
    const rows = changes.flatMap((change) => ('row' in change ? [change.row] : []));
    const timeline = this.of(id);
    const next = nextPosition(timeline.window);
    timeline.receive(rows);
    // Edited and deleted messages are not new.
    for (const { position, createdAt } of rows)
      if (position >= next) reads.receive({ id, came: position, at: createdAt });
    noteMine(id, rows);
  }

  /** Emptied, not removed, because components that show the timeline must see it become empty. */
  drop(room: Room) {
    this.#held.get(splitRoom(room).id)?.clear();
  }

  /** The newest rows, if the window reaches them. */
  in(room: Room): [id: string, row: Message][] | undefined {
    const { window } = this.of(splitRoom(room).id);
    return window.reachesNewest
      ? window.rows.slice(-maxSnapshotRows).map((row) => [row.id, row])
      : undefined;
  }

  /** Sends the messages that earlier visits could not send. */
  recall() {
    const ids = savedOutbox.entries.map(([, { timelineId }]) => timelineId);
    for (const id of new Set(ids)) this.of(id).recall();
  }

  flush() {
    for (const timeline of this.#held.values()) void timeline.flush();
  }
}

/** Sending a message marks everything before it as read. */
function noteMine(id: string, rows: readonly Message[]): void {
  const mine = rows.filter(({ authorId }) => authorId === account.id);
  if (mine.length > 0)
    reads.receive({ id, read: Math.max(...mine.map(({ position }) => position)) });
}

export const timelines = new Timelines();

on('ready', () => {
  timelines.flush();
});
