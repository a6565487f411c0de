import type { Session } from '../../shared/accounts.ts';
import { turnOff } from '../push/push.ts';
import { LoadedList } from '../session/loaded-list.svelte.ts';
import { send } from '../session/socket.ts';

export class SessionList extends LoadedList<Session> {
  #subscribedIds = $state.raw<readonly string[]>([]);

  protected async read() {
    const [{ sessions }, { sessionIds }] = await Promise.all([
      send('session:list', {}),
      send('push:list', {}),
    ]);
    this.#subscribedIds = sessionIds;
    return sessions;
  }

  getsPush({ id }: Session): boolean {
    return this.#subscribedIds.includes(id);
  }

  turnOffPush({ id, current }: Session): Promise<void> {
    return this.run(async () => {
      await (current ? turnOff() : send('push:unsubscribe', { sessionId: id }));
      this.#subscribedIds = this.#subscribedIds.filter((other) => other !== id);
    });
  }

  revoke(ended: readonly Session[]): Promise<void> {
    return this.run(async () => {
      for (const { id } of ended) {
        await send('session:revoke', { sessionId: id });
        this.list = this.list?.filter((session) => session.id !== id);
      }
    });
  }
}
