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
  /** What is heard while a page of history is on its way: the page may be older. */
  #meanwhile: Message[] = [];

  /** `list` asks for a page of history: of all that was before, too, if it is read `fromStart`. */
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

  /** Takes what an ack brought, unless what others wrote before it is still on its way. */
  confirm(message: Message) {
    if (!leavesHole(this.#window, message)) this.#merge([message]);
  }

  /** Which page of history is not held; `undefined` when all of it is. */
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
