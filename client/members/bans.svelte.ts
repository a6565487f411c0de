/** Who is banned from one server, while it is looked at. It is no room state. */
import type { Ban } from '../../shared/members.ts';
import { people } from '../people/people.svelte.ts';
import { send } from '../session/socket.ts';
import { words } from '../session/error-text.ts';

const day = 86_400_000;

export class Bans {
  list = $state.raw<readonly Ban[]>();
  failure = $state<string>();

  readonly #serverId: string;

  constructor(serverId: string) {
    this.#serverId = serverId;
  }

  async load() {
    this.failure = undefined;
    try {
      const found: Ban[] = [];
      for (let after: string | undefined, isAll = false; !isAll; after = found.at(-1)?.userId) {
        const page = await send('ban:list', { serverId: this.#serverId, after });
        people.hear(page.people);
        found.push(...page.bans);
        isAll = !page.more.after;
      }
      this.list = found.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    } catch (error) {
      this.failure = words(error);
    }
  }

  /** Loads them again when the next one ends, or after a day at most: timers can't wait for a month. */
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
