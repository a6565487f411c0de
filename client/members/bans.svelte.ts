import type { Ban } from '../../shared/members.ts';
import { people } from '../people/people.svelte.ts';
import { LoadedList } from '../session/loaded-list.svelte.ts';
import { send } from '../session/socket.ts';

const day = 86_400_000;

export class Bans extends LoadedList<Ban> {
  readonly #serverId: string;

  constructor(serverId: string) {
    super();
    this.#serverId = serverId;
  }

  protected async read() {
    const found: Ban[] = [];
    for (let after: string | undefined, isAll = false; !isAll; after = found.at(-1)?.userId) {
      const page = await send('ban:list', { serverId: this.#serverId, after });
      people.receive(page.people);
      found.push(...page.bans);
      isAll = !page.more.after;
    }
    return found.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  }

  /** Reloads the bans when the next one ends, but after a day at the latest, because timers cannot wait for a month. */
  watchEnds(): (() => void) | undefined {
    const now = Date.now();
    const ends = this.list?.flatMap(({ until }) => (until === null ? [] : [Date.parse(until)]));
    const ahead = ends?.filter((end) => end > now) ?? [];
    if (ahead.length === 0) return undefined;
    const next = ahead.reduce((one, other) => Math.min(one, other), now + day) - now;
    const timer = setTimeout(() => void this.load(), next + 500);
    return () => {
      clearTimeout(timer);
    };
  }

  async lift(userId: string) {
    await send('ban:delete', { serverId: this.#serverId, userId });
    this.list = this.list?.filter((ban) => ban.userId !== userId);
  }
}
