/** Presence by server room. Delivery is lossy; a complete map repairs it. */
import { SvelteMap } from 'svelte/reactivity';
import type { PresenceMap, Status } from '../../shared/presence.ts';
import type { Room } from '../../shared/rooms.ts';

class Presence {
  readonly #rooms = new SvelteMap<Room, SvelteMap<string, Status>>();

  of(room: Room, userId: string): Status {
    return this.#rooms.get(room)?.get(userId) ?? 'offline';
  }

  /** A person has the same status in all rooms. Rooms without the person are skipped. */
  anywhere(userId: string): Status {
    for (const users of this.#rooms.values()) {
      const status = users.get(userId);
      if (status && status !== 'offline') return status;
    }
    return 'offline';
  }

  receive(room: Room, users: PresenceMap, scope: 'whole' | 'news') {
    const held = this.#rooms.get(room) ?? new SvelteMap<string, Status>();
    if (scope === 'whole') for (const id of held.keys()) if (!(id in users)) held.delete(id);
    for (const [id, status] of Object.entries(users)) held.set(id, status);
    if (!this.#rooms.has(room)) this.#rooms.set(room, held);
  }

  drop(room: Room) {
    this.#rooms.delete(room);
  }
}

export const presence = new Presence();

export const statusWords: Record<Status, string> = {
  online: 'Online',
  idle: 'Idle',
  dnd: 'Do not disturb',
  offline: 'Offline',
};
