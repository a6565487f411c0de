/** The pinned messages of a timeline: loaded when the pane opens, then updated by changes. */
import { SvelteMap } from 'svelte/reactivity';
import type { Message } from '../../shared/messages.ts';
import { people } from '../people/people.svelte.ts';
import { send } from '../session/socket.ts';

export class PinList {
  loaded = $state(false);
  readonly #timelineId: string;
  readonly #pinned = new SvelteMap<string, Message>();
  /** The newest version received of each message; older ones are ignored. */
  readonly #versions: Record<string, number> = {};

  constructor(timelineId: string) {
    this.#timelineId = timelineId;
  }

  /** Latest pinned first. */
  get all(): Message[] {
    return [...this.#pinned.values()].sort((a, b) => (atOf(a) < atOf(b) ? 1 : -1));
  }

  async load(): Promise<void> {
    const held = [...this.#pinned.keys()];
    const found: Message[] = [];
    for (let more = true; more;) {
      const before = found.at(-1)?.pinned?.at;
      const wanted = { timelineId: this.#timelineId, ...(before && { before }) };
      const page = await send('pin:list', wanted);
      people.receive(page.people);
      found.push(...page.messages);
      more = page.more.after;
    }
    // Removes messages that were unpinned while disconnected.
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
