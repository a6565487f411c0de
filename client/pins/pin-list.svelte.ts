/** What is pinned in a timeline: asked for when it is opened, and then as it is heard. */
import { SvelteMap } from 'svelte/reactivity';
import type { Message } from '../../shared/messages.ts';
import { people } from '../people/people.svelte.ts';
import { send } from '../session/socket.ts';

export class PinList {
  /** Whether they have come. */
  loaded = $state(false);
  readonly #timelineId: string;
  readonly #pinned = new SvelteMap<string, Message>();
  /** Of each message that was heard of the newest version: what comes late changes nothing. */
  readonly #versions: Record<string, number> = {};

  constructor(timelineId: string) {
    this.#timelineId = timelineId;
  }

  /** The latest pinned first. */
  get all(): Message[] {
    return [...this.#pinned.values()].sort((a, b) => (atOf(a) < atOf(b) ? 1 : -1));
  }

  /** All of them, however many answers that takes. */
  async load(): Promise<void> {
    const held = [...this.#pinned.keys()];
    const found: Message[] = [];
    for (let more = true; more;) {
      const before = found.at(-1)?.pinned?.at;
      const wanted = { timelineId: this.#timelineId, ...(before && { before }) };
      const page = await send('pin:list', wanted);
      people.hear(page.people);
      found.push(...page.messages);
      more = page.more.after;
    }
    // What was unpinned while the connection was away is not heard.
    const ids = found.map(({ id }) => id);
    for (const id of held) if (!ids.includes(id)) this.#pinned.delete(id);
    this.receive(found);
    this.loaded = true;
  }

  readonly receive = (rows: readonly Message[]) => {
    for (const row of rows) {
      if ((this.#versions[row.id] ?? -1) > row.version) continue;
      this.#versions[row.id] = row.version;
      if (row.pinned) this.#pinned.set(row.id, row);
      else this.#pinned.delete(row.id);
    }
  };
}

const atOf = ({ pinned }: Message) => pinned?.at ?? '';
