/** One timeline in the client: the window of messages that is shown, and unconfirmed messages. */
import type { Message } from '../../shared/messages.ts';
import { ChatError } from '../../shared/failure.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { isOpen, send } from '../session/socket.ts';
import { newId } from '../sync/ids.ts';
import { isLong, errorText } from '../ui/error-text.ts';
import { waitBefore } from '../sync/backoff.ts';
import { NoResponse } from '../sync/connection.ts';
import type { Extras } from './drafts.ts';
import { isDeleted } from './lines.ts';
import {
  confirmExtras,
  dropExtras,
  forgetParts,
  sendInputOf,
  receiveParts,
} from './message-parts.ts';
import * as outbox from './outbox.ts';
import { saveOutbox, loadOutbox, savedOutbox } from './saved-outbox.ts';
import * as window from './window.ts';

const pageSize = 50;
/** Maximum of messages without deleted ones: more than a screen needs, few enough to stay fast. */
const maxRows = 300;
/** Maximum with deleted messages, which would otherwise grow without bound. */
const maxWithDeleted = 10 * maxRows;
/** After this many pages with only deleted messages, loading stops until the user asks for more. */
const maxEmptyPages = 10;

/** A page of history. A number means the page around that position. */
type Which = 'before' | 'after' | 'newest' | number;

export class Timeline {
  readonly id: string;
  window = $state.raw<window.TimelineWindow<Message>>({ rows: [], reachesNewest: false });
  outbox = $state.raw<outbox.Outbox>([]);
  /** True once a snapshot has arrived. Before that, an empty window means nothing. */
  entered = $state(false);
  loading = $state<Which>();
  /** The page that failed to load, and the reason; shown with a Retry button. */
  failure = $state.raw<{ which: Which; text: string }>();
  /** A failed message to edit. The composer moves it into the draft, once there is a composer. */
  returned = $state.raw<outbox.OutboxEntry>();
  /** The position of the reader. Rows far from it are dropped. */
  readAt = Infinity;

  /** Messages received while a page is loading, because the page can be older. */
  #meanwhile: Message[] = [];
  /** The number of consecutive pages with only deleted messages. */
  #barren = $state(0);
  #alarm: ReturnType<typeof setTimeout> | undefined;
  /** The number of consecutive sends without a response, although the connection works. */
  #unanswered = 0;

  constructor(id: string) {
    this.id = id;
  }

  replace(rows: readonly Message[]) {
    receiveParts(this.id, rows);
    this.#barren = 0;
    this.window = window.newest(rows);
    this.entered = true;
    this.#settle(rows);
  }

  receive(rows: readonly Message[]) {
    receiveParts(this.id, rows);
    if (this.loading) this.#meanwhile.push(...rows);
    this.window = this.#trimmed(window.merge(this.window, rows));
    this.#settle(rows);
  }

  clear() {
    this.window = { rows: [], reachesNewest: false };
    forgetParts(this.id);
    this.outbox = [];
    this.returned = undefined;
    this.entered = false;
  }

  recall() {
    this.outbox = outbox.join(this.outbox, loadOutbox(this.id));
  }

  /** Adds a message. It is shown at once and sent after the ones before it. */
  write(body: string, extras: Extras) {
    const written = { id: newId(), body, writtenAt: Date.now(), extras };
    this.#put(outbox.write(this.outbox, written));
    void this.flush();
  }

  retry(id: string) {
    const extras = this.outbox.find((entry) => entry.id === id)?.extras;
    if (extras) confirmExtras(extras);
    this.#put(outbox.waiting(this.outbox, id));
    void this.flush();
  }

  withdraw(id: string) {
    this.#end([id]);
    void this.flush();
  }

  async flush(): Promise<void> {
    const next = isOpen() ? outbox.nextToSend(this.outbox, Date.now()) : undefined;
    if (!next) {
      this.#setAlarm();
      return;
    }
    if (savedOutbox.get(next.id)) await this.#send(next);
    else this.#forget(next.id);
    await this.flush();
  }

  /** Removes a message that another tab has withdrawn or sent. A sent one is among the newest messages. */
  #forget(id: string) {
    this.#end([id]);
    if (this.window.reachesNewest) void this.load('newest');
  }

  /** `base` is the version that the editor has seen. */
  async edit(messageId: string, body: string, base: number) {
    this.#merge((await send('message:edit', { messageId, body, base })).message);
  }

  async delete(messageId: string) {
    this.#merge((await send('message:delete', { messageId })).message);
  }

  /** True while loading stops because the last pages had only deleted messages, or because the window is full of them. */
  get rests() {
    return this.#barren >= maxEmptyPages || this.window.rows.length >= maxWithDeleted;
  }

  /** Loads more because the user asked for it. */
  async loadOn(which: Which) {
    this.#barren = 0;
    await this.load(which);
  }

  /** Loads a page of history and joins it to the window. Ignored while another page is loading. */
  async load(which: Which) {
    if (this.loading || !isOpen()) return;
    this.loading = which;
    this.failure = undefined;
    this.#meanwhile = [];
    try {
      const page = await send('message:list', {
        timelineId: this.id,
        limit: pageSize,
        ...(which === 'before' && { before: window.firstPosition(this.window) }),
        ...(typeof which === 'number' && { around: which }),
        ...(which === 'after' && { after: window.nextPosition(this.window) - 1 }),
      });
      people.receive(page.people);
      receiveParts(this.id, page.messages);
      this.readAt = typeof which === 'number' ? which : which === 'before' ? 0 : Infinity;
      this.#barren = page.messages.every(isDeleted) ? this.#barren + 1 : 0;
      this.window = this.#trimmed(window.addPage(this.window, page, this.#meanwhile));
      this.#settle(page.messages);
    } catch (error) {
      if (!(error instanceof NoResponse && error.how === 'lost'))
        this.failure = { which, text: errorText(error) };
    } finally {
      this.loading = undefined;
    }
  }

  async #send(entry: outbox.OutboxEntry) {
    const { id, body, extras } = entry;
    this.outbox = outbox.sending(this.outbox, id);
    try {
      const input = { timelineId: this.id, id, body, ...(await sendInputOf(extras, this.id)) };
      if (savedOutbox.get(id)) this.#confirm((await send('message:send', input)).message);
      else this.#forget(id);
      this.#unanswered = 0;
    } catch (error) {
      this.#notSent(entry, error);
    }
  }

  /** Saves the outbox on this device, so that messages survive a reload until they have arrived. */
  #put(next: outbox.Outbox) {
    saveOutbox(this.id, this.outbox, next);
    this.outbox = next;
  }

  #end(ids: readonly string[]) {
    for (const { id, extras } of this.outbox) if (ids.includes(id)) dropExtras(extras);
    this.#put(outbox.without(this.outbox, ids));
  }

  #trimmed(wide: window.TimelineWindow<Message>) {
    const near = window.keepNear(wide, this.readAt, maxRows, (row) => !isDeleted(row));
    return window.keepNear(near, this.readAt, maxWithDeleted);
  }

  #confirm(message: Message) {
    // If earlier messages of others are still to arrive, this one arrives after them as a change.
    if (!window.leavesHole(this.window, message)) this.#merge(message);
  }

  #merge(message: Message) {
    if (!window.leavesHole(this.window, message)) this.receive([message]);
  }

  #settle(rows: readonly Message[]) {
    if (this.outbox.length === 0) return;
    const ids = rows.map(({ id }) => id);
    this.#end(ids);
    void this.flush();
  }

  #notSent({ id, body }: outbox.OutboxEntry, error: unknown) {
    const retryAfterMs = error instanceof ChatError ? error.detail.retryAfterMs : undefined;
    if (error instanceof NoResponse && error.how === 'lost') {
      this.outbox = outbox.waiting(this.outbox, id);
    } else if (error instanceof NoResponse) {
      this.#sendLater(id, waitBefore(this.#unanswered++));
    } else if (retryAfterMs !== undefined && !isLong(retryAfterMs)) {
      this.#sendLater(id, retryAfterMs);
    } else if (error instanceof ChatError && error.code === 'not_found') {
      this.#end([id]);
      notices.show('A message couldn’t be sent because its channel or conversation is gone.', body);
    } else {
      this.#put(outbox.failed(this.outbox, id, errorText(error)));
    }
  }

  #sendLater(id: string, waitMs: number) {
    this.outbox = outbox.waitingUntil(this.outbox, id, Date.now() + waitMs);
    this.#setAlarm();
  }

  /** Calls `flush` when the first message can be sent. If the timer fires too early, `flush` sets it again. */
  #setAlarm() {
    clearTimeout(this.#alarm);
    const waitMs = outbox.waitOf(this.outbox, Date.now());
    if (waitMs > 0) this.#alarm = setTimeout(() => void this.flush(), Math.ceil(waitMs));
  }
}
