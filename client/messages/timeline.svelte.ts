/** One timeline as this page holds it: the window that is shown, and what I wrote that is not confirmed. */
import type { Message } from '../../shared/messages.ts';
import { ChatError } from '../../shared/failure.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { isOpen, send } from '../session/socket.ts';
import { newId } from '../sync/ids.ts';
import { isLong, words } from '../session/error-text.ts';
import { NoResponse } from '../sync/connection.ts';
import { isGone } from './lines.ts';
import { forgetParts, inputOf, receiveParts } from './message-parts.ts';
import * as outbox from './outbox.ts';
import type { Extras } from './part.ts';
import { keepOutbox, keptOutbox, unsent } from './saved-outbox.ts';
import * as window from './window.ts';

const pageSize = 50;
/** How many rows are kept: more than a screen needs, few enough to stay quick. */
const mostRows = 300;
/** How many with those that are not shown, since their authors deleted them: somebody may go on and on. */
const mostWithGone = 10 * mostRows;
/** So many pages in a row of which nothing is shown are read unasked. */
const mostBarren = 10;

/** Which page of history; a number is the position that it lies around. */
type Which = 'before' | 'after' | 'newest' | number;

export class Timeline {
  readonly id: string;
  window = $state.raw<window.Window<Message>>({ rows: [], reachesNewest: false });
  outbox = $state.raw<outbox.Outbox>([]);
  /** Whether a snapshot has come: an empty window means nothing before that. */
  entered = $state(false);
  loading = $state<Which>();
  /** What of history could not be read, and why, for a Retry beside it. */
  failure = $state.raw<{ which: Which; text: string }>();
  /** Where somebody reads: rows far from there are let go of. */
  readAt = Infinity;

  /** What is heard while a page is on its way; the page may be older. */
  #meanwhile: Message[] = [];
  /** How many pages in a row, before this, brought nothing that is shown. */
  #barren = $state(0);
  #alarm: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string) {
    this.id = id;
  }

  replace(rows: readonly Message[]) {
    receiveParts(this.id, rows);
    this.window = window.newest(rows);
    this.entered = true;
    this.#settle(rows);
  }

  hear(rows: readonly Message[]) {
    receiveParts(this.id, rows);
    if (this.loading) this.#meanwhile.push(...rows);
    this.window = this.#trimmed(window.merge(this.window, rows));
    this.#settle(rows);
  }

  clear() {
    this.window = { rows: [], reachesNewest: false };
    forgetParts(this.id);
    this.outbox = [];
    this.entered = false;
  }

  /** What an earlier visit could not send takes its place again. */
  recall() {
    this.outbox = outbox.join(this.outbox, keptOutbox(this.id));
  }

  /** Says something: seen here at once, sent as soon as those before it are through. */
  write(body: string, extras: Extras) {
    const written = { id: newId(), body, writtenAt: Date.now(), extras };
    this.#put(outbox.write(this.outbox, written));
    void this.flush();
  }

  retry(id: string) {
    this.#put(outbox.waiting(this.outbox, id));
    void this.flush();
  }

  withdraw(id: string) {
    this.#put(outbox.without(this.outbox, [id]));
    void this.flush();
  }

  async flush(): Promise<void> {
    const next = isOpen() ? outbox.nextToSend(this.outbox, Date.now()) : undefined;
    if (!next) return;
    if (unsent.get(next.id)) await this.#send(next);
    else this.#forget(next.id);
    await this.flush();
  }

  /** In another tab it was withdrawn, or sent: then it is among the newest. */
  #forget(id: string) {
    this.outbox = outbox.without(this.outbox, [id]);
    if (this.window.reachesNewest) void this.load('newest');
  }

  /** `base` is the version that the writer has seen. */
  async edit(messageId: string, body: string, base: number) {
    this.#merge((await send('message:edit', { messageId, body, base })).message);
  }

  async delete(messageId: string) {
    this.#merge((await send('message:delete', { messageId })).message);
  }

  /** Whether more is read only when somebody asks for it: all that came lately was deleted by its authors. */
  get rests() {
    return this.#barren >= mostBarren;
  }

  /** Somebody asks for it. */
  async loadOn(which: Which) {
    this.#barren = 0;
    await this.load(which);
  }

  /** Reads a page of history, and joins it to what is shown; not while another is on its way. */
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
      people.hear(page.people);
      receiveParts(this.id, page.messages);
      this.readAt = typeof which === 'number' ? which : which === 'before' ? 0 : Infinity;
      this.#barren = page.messages.every(isGone) ? this.#barren + 1 : 0;
      this.window = this.#trimmed(window.addPage(this.window, page, this.#meanwhile));
      this.#settle(page.messages);
    } catch (error) {
      if (!(error instanceof NoResponse && error.how === 'lost'))
        this.failure = { which, text: words(error) };
    } finally {
      this.loading = undefined;
    }
  }

  async #send(entry: outbox.OutboxEntry) {
    const { id, body, extras } = entry;
    this.outbox = outbox.sending(this.outbox, id);
    try {
      const { message } = await send('message:send', {
        ...{ timelineId: this.id, id, body },
        ...inputOf(extras),
      });
      this.#confirm(message);
    } catch (error) {
      this.#notSent(entry, error);
    }
  }

  /** What is written stays on this device until it has arrived. */
  #put(next: outbox.Outbox) {
    keepOutbox(this.id, this.outbox, next);
    this.outbox = next;
  }

  #trimmed(wide: window.Window<Message>) {
    const near = window.keepNear(wide, this.readAt, mostRows, (row) => !isGone(row));
    return window.keepNear(near, this.readAt, mostWithGone);
  }

  #confirm(message: Message) {
    // Others wrote before it and their changes are still under way: its own change comes with them.
    if (!window.leavesHole(this.window, message)) this.#merge(message);
  }

  #merge(message: Message) {
    if (!window.leavesHole(this.window, message)) this.hear([message]);
  }

  #settle(rows: readonly Message[]) {
    if (this.outbox.length === 0) return;
    const ids = rows.map(({ id }) => id);
    this.#put(outbox.without(this.outbox, ids));
    void this.flush();
  }

  #notSent({ id, body }: outbox.OutboxEntry, error: unknown) {
    const patience = error instanceof ChatError ? error.detail.retryAfterMs : undefined;
    if (error instanceof NoResponse && error.how === 'lost') {
      this.outbox = outbox.waiting(this.outbox, id);
    } else if (patience !== undefined && !isLong(patience)) {
      this.outbox = outbox.waitingUntil(this.outbox, id, Date.now() + patience);
      clearTimeout(this.#alarm);
      this.#alarm = setTimeout(() => void this.flush(), patience);
    } else if (error instanceof ChatError && error.code === 'not_found') {
      this.#put(outbox.without(this.outbox, [id]));
      notices.tell('A message couldn’t be sent because its channel or conversation is gone.', body);
    } else {
      this.#put(outbox.failed(this.outbox, id, reason(error)));
    }
  }
}

const reason = (error: unknown) =>
  error instanceof NoResponse ? 'no answer from the server.' : words(error);
