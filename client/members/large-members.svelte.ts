/** Large servers: everyone is told of their staff only. The others are asked for when somebody looks at them. */
import { SvelteMap } from 'svelte/reactivity';
import { limits } from '../../shared/limits.ts';
import type { Counts, Member } from '../../shared/members.ts';
import type { Output } from '../../shared/protocol.ts';
import { serverRoom, type Room } from '../../shared/rooms.ts';
import { people } from '../people/people.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import { send } from '../session/socket.ts';

/** How often what is shown is asked for, in milliseconds. */
export const again = 30_000;

class Crowds {
  readonly #counts = new SvelteMap<Room, Counts>();
  /** As they were when they were last asked for; `null`: not a member then. */
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

  /** Those who were members when they were asked for. */
  met(serverId: string): string[] {
    const met = this.#met.get(serverRoom(serverId)) ?? [];
    return [...met].flatMap(([userId, member]) => (member ? [userId] : []));
  }

  /** Only of large servers there are counts: without them it is large no more. */
  hear(room: Room, counts: Counts | undefined) {
    if (counts) this.#counts.set(room, counts);
    else this.drop(room);
  }

  drop(room: Room) {
    this.#counts.delete(room);
    this.#met.delete(room);
  }

  /** A page by id, after the one that ended with this id; answers with whom it holds, and whether there are more. */
  async read(serverId: string, after: string | undefined, limit: number) {
    const page = await send('member:list', { serverId, limit, ...(after && { after }) });
    this.#take(serverId, page);
    return { userIds: page.members.map(({ userId }) => userId), more: page.more.after };
  }

  /** Some of those who are called something with this in it. */
  async find(serverId: string, query: string): Promise<string[]> {
    const page = await send('member:list', { serverId, query, limit: limits.page });
    this.#take(serverId, page);
    return page.members.map(({ userId }) => userId);
  }

  /** Asks for these people, as many at a time as may be. */
  async meet(serverId: string, userIds: readonly string[]) {
    for (let i = 0; i < userIds.length; i += limits.page) {
      const some = userIds.slice(i, i + limits.page);
      const page = await send('member:list', { serverId, userIds: some, limit: limits.page });
      for (const userId of some) this.note(serverId, userId, null);
      this.#take(serverId, page);
    }
  }

  /** Asks for them now and then, until it is called off: what was not heard the next time brings. */
  watch(serverId: string, userIds: readonly string[]): () => void {
    const look = () => {
      if (!document.hidden) this.meet(serverId, userIds).catch(() => undefined);
    };
    look();
    const timer = setInterval(look, again);
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

  #take(serverId: string, { members, counts, ...told }: Output<'member:list'>) {
    const room = serverRoom(serverId);
    people.hear(told.people);
    if (counts) this.hear(room, counts);
    for (const member of members) this.note(serverId, member.userId, member);
    const statuses = members.map(({ userId }) => [userId, told.presence[userId] ?? 'offline']);
    presence.hear(room, Object.fromEntries(statuses) as typeof told.presence, 'news');
  }
}

export const crowds = new Crowds();
