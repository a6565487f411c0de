/** Who is banned from one server, while it is looked at. It is no room state. */
import type { Ban } from '../../shared/members.ts';
import { people } from '../people/people.svelte.ts';
import { send } from '../socket.ts';
import { words } from '../words.ts';

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
      const { bans, people: named } = await send('ban:list', { serverId: this.#serverId });
      people.hear(named);
      this.list = bans;
    } catch (error) {
      this.failure = words(error);
    }
  }

  async lift(userId: string) {
    await send('ban:delete', { serverId: this.#serverId, userId });
    this.list = this.list?.filter((ban) => ban.userId !== userId);
  }
}
