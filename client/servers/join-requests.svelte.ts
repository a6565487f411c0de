import type { JoinRequest } from '../../shared/join-requests.ts';
import { people } from '../people/people.svelte.ts';
import { WatchedList } from '../session/loaded-list.svelte.ts';
import { send } from '../session/socket.ts';

export class JoinRequests extends WatchedList<JoinRequest> {
  readonly #serverId: string;

  constructor(serverId: string) {
    super();
    this.#serverId = serverId;
  }

  protected async read() {
    const listed = await send('joinRequest:list', { serverId: this.#serverId });
    people.receive(listed.people);
    return listed.requests;
  }

  accept(userId: string): Promise<void> {
    return this.run(async () => {
      await send('joinRequest:accept', { serverId: this.#serverId, userId });
      this.#remove([userId]);
    });
  }

  async decline(userIds: string[]) {
    await send('joinRequest:decline', { serverId: this.#serverId, userIds });
    this.#remove(userIds);
  }

  #remove(userIds: string[]) {
    this.list = this.list?.filter(({ userId }) => !userIds.includes(userId));
  }
}
