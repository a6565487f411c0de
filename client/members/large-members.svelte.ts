/** Large servers: the room's state has only the staff. Other members are requested when they are shown. */
import { SvelteMap } from 'svelte/reactivity';
import { limits } from '../../shared/limits.ts';
import type { Counts, Member } from '../../shared/members.ts';
import type { Output } from '../../shared/protocol.ts';
import { serverRoom, type Room } from '../../shared/rooms.ts';
import { people } from '../people/people.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import { send } from '../session/socket.ts';

export const refreshMs = 30_000;

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

  /** Loads a page of members by id, after the one that ended with `after`. `more`: whether others follow. */
  async read(serverId: string, after: string | undefined, limit: number) {
    const page = await send('member:list', { serverId, limit, ...(after && { after }) });
    this.#take(serverId, page);
    return { userIds: page.members.map(({ userId }) => userId), more: page.more.after };
  }

  async find(serverId: string, query: string): Promise<string[]> {
    const page = await send('member:list', { serverId, query, limit: limits.page });
    this.#take(serverId, page);
    return page.members.map(({ userId }) => userId);
  }

  /** Requests members with names that look like this one; only some of them if there are many. */
  async meetAlike(serverId: string, looksLike: string) {
    this.#take(serverId, await send('member:list', { serverId, looksLike, limit: limits.page }));
  }

  async meet(serverId: string, userIds: readonly string[]) {
    for (let i = 0; i < userIds.length; i += limits.page) {
      const some = userIds.slice(i, i + limits.page);
      const page = await send('member:list', { serverId, userIds: some, limit: limits.page });
      for (const userId of some) this.note(serverId, userId, null);
      this.#take(serverId, page);
    }
  }

  /** Requests them regularly until stopped, because the server does not send changes of these members. */
  watch(serverId: string, userIds: readonly string[]): () => void {
    const look = () => {
      if (!document.hidden) this.meet(serverId, userIds).catch(() => undefined);
    };
    look();
    const timer = setInterval(look, refreshMs);
    return () => {
      clearInterval(timer);
    };
  }

  note(serverId: string, userId: string, member: Member | null) {
    const room = serverRoom(serverId);
    const met = this.#met.get(room) ?? new SvelteMap<string, Member | null>();
    met.set(userId, member);
    if (!this.#met.has(room)) this.#met.set(room, met);
  }

  #take(serverId: string, { members, counts, ...answer }: Output<'member:list'>) {
    const room = serverRoom(serverId);
    people.receive(answer.people);
    if (counts) this.receive(room, counts);
    for (const member of members) this.note(serverId, member.userId, member);
    const statuses = members.map(({ userId }) => [userId, answer.presence[userId] ?? 'offline']);
    presence.receive(room, Object.fromEntries(statuses) as typeof answer.presence, 'news');
  }
}

export const largeMembers = new LargeMembers();
