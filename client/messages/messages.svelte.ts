/** All timelines of which something is held. */
import type { Message } from '../../shared/messages.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import type { Holder, RowChange } from '../changes.ts';
import { whenOpened } from '../socket.ts';
import { Timeline } from './timeline.svelte.ts';

class Timelines implements Holder<Message> {
  readonly #held = new Map<string, Timeline>();
  #author: string | undefined;

  of(id: string): Timeline {
    const held = this.#held.get(id);
    if (held) return held;
    const timeline = new Timeline(id);
    this.#held.set(id, timeline);
    return timeline;
  }

  replace(room: Room, rows: readonly Message[]) {
    this.of(splitRoom(room).id).replace(rows);
  }

  /** Messages are never removed, only emptied. */
  apply(room: Room, changes: readonly RowChange<Message>[]) {
    this.of(splitRoom(room).id).hear(
      changes.flatMap((change) => ('row' in change ? [change.row] : [])),
    );
  }

  /** Emptied, not forgotten: whoever shows it sees it become empty. */
  drop(room: Room) {
    this.#held.get(splitRoom(room).id)?.clear();
  }

  /** What is written and not sent is kept for its author, and for nobody else. */
  belongTo(userId: string) {
    if (userId !== this.#author) for (const timeline of this.#held.values()) timeline.draft = '';
    this.#author = userId;
  }

  flush() {
    for (const timeline of this.#held.values()) void timeline.flush();
  }
}

export const timelines = new Timelines();

whenOpened(() => {
  timelines.flush();
});
