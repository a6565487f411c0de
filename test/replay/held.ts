/** One timeline as a client holds it: the client's own rules (its room, its window), and no socket. */
import { RoomReplica } from '../../client/sync/room-replica.ts';
import { bySlice } from '../../client/sync/changes.ts';
import {
  addPage,
  firstPosition,
  merge,
  newest,
  nextPosition,
  reachesStart,
  type Page,
  type Window,
} from '../../client/messages/window.ts';
import type { Row } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import type { Message } from '../../shared/messages.ts';
import type { RoomChanges } from '../../shared/protocol.ts';

export class HeldTimeline {
  readonly room = new RoomReplica();
  #window: Window<Message> = { rows: [], reachesNewest: false };
  #entered = false;
  /** What is heard while a page of history is on its way: the page may be older. */
  #meanwhile: Message[] = [];

  get messages(): readonly Message[] {
    return this.#window.rows;
  }

  hear(stretch: RoomChanges) {
    for (const ready of this.room.receive(stretch)) this.#apply(ready);
  }

  answer(entry: Exclude<Entry, { status: 'gone' }>, epoch: string) {
    const { snapshot, changes } = this.room.answer(entry, epoch);
    if (snapshot) {
      this.#window = newest((snapshot.state as { messages: Message[] }).messages);
      this.#entered = true;
    }
    for (const stretch of changes) this.#apply(stretch);
    return entry;
  }

  /** Which page of history is not held; `undefined` when all of it is. */
  get lacking(): { before: number } | { after: number } | undefined {
    if (!this.#entered) return undefined;
    if (!reachesStart(this.#window)) return { before: firstPosition(this.#window) };
    return this.lackingNewer;
  }

  /** The same, for who does not care what was before. */
  get lackingNewer(): { after: number } | undefined {
    if (!this.#entered || this.#window.reachesNewest) return undefined;
    return { after: nextPosition(this.#window) - 1 };
  }

  asksForPage() {
    this.#meanwhile = [];
  }

  addPage(page: Page<Message>) {
    this.#window = addPage(this.#window, page, this.#meanwhile);
  }

  #apply({ changes }: RoomChanges) {
    const heard = (bySlice(changes).get('messages') ?? []).flatMap((change) =>
      'row' in change ? [change.row as Row<'messages'>] : [],
    );
    this.#meanwhile.push(...heard);
    this.#window = merge(this.#window, heard);
  }
}
