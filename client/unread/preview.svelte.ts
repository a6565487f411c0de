/** The first unread messages of a place, requested when the entry becomes visible, and only as many as are shown. */
import type { Message } from '../../shared/messages.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { errorText } from '../ui/error-text.ts';
import { send } from '../session/socket.ts';

const maxRows = 3;
/** The number requested at a time, because some can be deleted or by blocked users. */
const page = 6;
/** Loading stops after this many pages, because nearly all messages are hidden. */
const maxPages = 5;

export class Preview {
  failure = $state<string>();
  #rows = $state.raw<readonly Message[]>([]);
  #isAsking = $state(false);
  #pages = 0;
  #to = $state(0);
  readonly #timelineId: string;

  constructor(timelineId: string, after: number) {
    this.#timelineId = timelineId;
    this.#to = after;
  }

  get rows(): Message[] {
    return this.#rows.filter(isShown).slice(0, maxRows);
  }

  /** True if everything was received and nothing is shown, because all is deleted or by blocked users. */
  isEmpty(last: number): boolean {
    return this.#to >= last && this.rows.length === 0;
  }

  /** Loads until enough messages are shown, if the timeline continues to `last`. */
  fill(last: number): void {
    if (this.#isAsking || this.failure !== undefined) return;
    if (this.rows.length < maxRows && this.#to < last && this.#pages < maxPages)
      void this.#load(last);
  }

  retry(last: number): void {
    this.failure = undefined;
    this.fill(last);
  }

  async #load(last: number): Promise<void> {
    this.#pages += 1;
    this.#isAsking = true;
    const timelineId = this.#timelineId;
    try {
      const found = await send('message:list', { timelineId, after: this.#to, limit: page });
      people.receive(found.people);
      // An empty page means that the remaining messages do not exist.
      this.#to = found.messages.at(-1)?.position ?? last;
      this.#rows = [...this.#rows, ...found.messages];
    } catch (error) {
      this.failure = errorText(error);
    } finally {
      this.#isAsking = false;
    }
  }
}

const isShown = ({ deletedAt, kind, authorId }: Message) =>
  deletedAt === undefined && kind === undefined && !blocks.has(authorId);
