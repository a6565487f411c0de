/** A client that only reads, from the first message, with the real driver (client/sync/). */
import type { RoomSnapshot } from '../../client/sync/room-replica.ts';
import type { RoomStore } from '../../client/sync/room-store.ts';
import { SyncClient } from '../../client/sync/sync-client.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import { timelineRoom, type Room } from '../../shared/rooms.ts';
import { HeldTimeline } from '../support/held-timeline.ts';
import { asError, retryUntilAnswered } from './retry.ts';
import { signIn, type Signed } from './sign-in.ts';
import { ReplayConnection } from './connection.ts';

export class ReplayListener implements RoomStore {
  readonly name: string;
  readonly held: HeldTimeline;
  readonly #room: Room;
  readonly #connection: ReplayConnection;
  readonly #sync: SyncClient;
  problem: Error | undefined;

  constructor(name: string, url: string, { cookie }: Signed, timelineId: string) {
    this.name = name;
    this.#room = timelineRoom(timelineId);
    this.#connection = new ReplayConnection(url, cookie, {
      ready: (ready) => this.#sync.onReady(ready),
    });
    const page = { timelineId, limit: 100 };
    this.held = new HeldTimeline(
      (which) => this.#connection.ask('message:list', { ...page, ...which }).catch(this.#fail),
      { fromStart: true },
    );
    this.#sync = new SyncClient(this.#connection.connection, this);
    this.#sync.start();
  }

  async enter(): Promise<void> {
    await this.#connection.open();
    await retryUntilAnswered(() => this.#sync.enter(this.#room)).catch(this.#fail);
  }

  close() {
    this.#sync.stop();
    this.#connection.close();
  }

  replace({ room, state }: RoomSnapshot) {
    if (room === this.#room && 'messages' in state) this.held.replace(state.messages);
  }

  apply({ room, changes }: RoomChanges) {
    if (room === this.#room) this.held.apply(changes);
  }

  drop(room: Room) {
    if (room === this.#room) this.problem = new Error(`${this.name} was moved out of the channel.`);
  }

  #fail = (error: unknown): never => {
    this.problem = asError(error);
    throw this.problem;
  };
}

export async function openListeners(
  count: number,
  { urls, invite, timelineId }: { urls: readonly string[]; invite: string; timelineId: string },
): Promise<ReplayListener[]> {
  const listeners: ReplayListener[] = [];
  for (let number = 1; number <= count; number += 1) {
    const node = (number - 1) % urls.length;
    const url = urls[node] ?? '';
    const signed = await signIn(url, 'guest', { displayName: `Listener ${number}`, invite });
    const where = urls.length > 1 ? `, node ${node + 1}` : '';
    const listener = new ReplayListener(`listener ${number}${where}`, url, signed, timelineId);
    await listener.enter();
    listeners.push(listener);
  }
  return listeners;
}
