/** The messages of one timeline as a client shows them (client/messages/window.ts), read on to the newest. */
import {
  addPage,
  firstPosition,
  leavesHole,
  merge,
  newest,
  nextPosition,
  reachesStart,
  type HistoryPage,
  type TimelineWindow,
} from '../../client/messages/window.ts';
import { bySlice } from '../../client/sync/changes.ts';
import type { Change, Row } from '../../shared/changes.ts';
import type { Message } from '../../shared/messages.ts';

type Which = { before: number } | { after: number };

export class HeldTimeline {
  readonly #list: (which: Which) => Promise<HistoryPage<Message>>;
  readonly #fromStart: boolean;
  #window: TimelineWindow<Message> = { rows: [], reachesNewest: false };
  #isEntered = false;
  #isReading = false;
  /** Messages received while a page of history is loading, because the page can be older. */
  #meanwhile: Message[] = [];

  /** `list` requests a page of history. With `fromStart`, all earlier pages are read as well. */
  constructor(list: (which: Which) => Promise<HistoryPage<Message>>, { fromStart = false } = {}) {
    this.#list = list;
    this.#fromStart = fromStart;
  }

  get messages(): readonly Message[] {
    return this.#window.rows;
  }

  replace(messages: readonly Message[]) {
    this.#window = newest(messages);
    this.#isEntered = true;
    void this.#readOn();
  }

  apply(changes: readonly Change[]) {
    this.#merge(
      (bySlice(changes).get('messages') ?? []).flatMap((change) =>
        'row' in change ? [change.row as Row<'messages'>] : [],
      ),
    );
    void this.#readOn();
  }

  /** Adds the message of an ack, unless earlier messages of others are still missing. */
  confirm(message: Message) {
    if (!leavesHole(this.#window, message)) this.#merge([message]);
  }

  /** The next missing page of history, or undefined when none is missing. */
  get #lacking(): Which | undefined {
    if (!this.#isEntered) return undefined;
    if (this.#fromStart && !reachesStart(this.#window))
      return { before: firstPosition(this.#window) };
    return this.#window.reachesNewest ? undefined : { after: nextPosition(this.#window) - 1 };
  }

  async #readOn(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    for (let which = this.#lacking; which; which = this.#lacking) {
      this.#meanwhile = [];
      const page = await this.#list(which).catch(() => undefined);
      if (!page) break;
      this.#window = addPage(this.#window, page, this.#meanwhile);
    }
    this.#isReading = false;
  }

  #merge(messages: Message[]) {
    this.#meanwhile.push(...messages);
    this.#window = merge(this.#window, messages);
  }
}
