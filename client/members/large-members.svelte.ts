/** Large servers: the room's state has only the staff and members with roles. Others are requested when shown. */
import { SvelteMap } from 'svelte/reactivity';
import type { Counts, Member } from '../../shared/members.ts';
import { serverRoom, type Room } from '../../shared/rooms.ts';

class LargeMembers {
  readonly #counts = new SvelteMap<Room, Counts>();
  /** Members as of their last request; `null` if the user was not a member then. */
  readonly #met = new SvelteMap<Room, SvelteMap<string, Member | null>>();

  has(serverId: string): boolean {
    return this.#counts.has(serverRoom(serverId));
  }

  counts(serverId: string): Counts | undefined {
    return this.#counts.get(serverRoom(serverId));
  }

  get(serverId: string, userId: string): Member | null | undefined {
    return this.#met.get(serverRoom(serverId))?.get(userId);
  }

  /** Users that were members as of their last request. */
  met(serverId: string): string[] {
    const met = this.#met.get(serverRoom(serverId)) ?? [];
    return [...met].flatMap(([userId, member]) => (member ? [userId] : []));
  }

  /** Only large servers have counts. Without them, the server is no longer large. */
  receive(room: Room, counts: Counts | undefined) {
    if (counts) this.#counts.set(room, counts);
    else this.drop(room);
  }

  drop(room: Room) {
    this.#counts.delete(room);
    this.#met.delete(room);
  }

  note(serverId: string, userId: string, member: Member | null) {
    const room = serverRoom(serverId);
    const met = this.#met.get(room) ?? new SvelteMap<string, Member | null>();
    met.set(userId, member);
    if (!this.#met.has(room)) this.#met.set(room, met);
  }
}

export const largeMembers = new LargeMembers();
