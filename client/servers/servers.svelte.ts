import { serverRoom, userRoom } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import { account } from '../accounts/account.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { sidebar } from '../sidebar/sidebar.svelte.ts';

class Servers {
  readonly rows = new RowsByRoom<Server>(({ id }) => id);

  /** In the user’s own order; new ones are last. */
  get mine(): Server[] {
    const rows = this.rows.in(userRoom(account.id))?.values() ?? [];
    const oldestFirst = [...rows]
      .map((server) => this.get(server.id) ?? server)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
    const byId = new Map(oldestFirst.map((server) => [server.id, server]));
    return sidebar.order('servers', [...byId.keys()]).flatMap((id) => byId.get(id) ?? []);
  }

  /** True if the list is complete, because a long list arrives in parts. */
  get areListed() {
    return this.rows.in(userRoom(account.id)) !== undefined;
  }

  /** From the server's own room once entered; before that, from the user's list. */
  get(id: string): Server | undefined {
    return this.rows.in(serverRoom(id))?.get(id) ?? this.rows.in(userRoom(account.id))?.get(id);
  }

  has(id: string) {
    return this.rows.in(userRoom(account.id))?.has(id) ?? false;
  }
}

export const servers = new Servers();
