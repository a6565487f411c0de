import type { Category } from '../../shared/categories.ts';
import type { Channel, PrivateChannel, PublicChannel } from '../../shared/channels.ts';
import type { Input } from '../../shared/protocol.ts';
import { between, byPlace } from '../../shared/order.ts';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { categories } from '../categories/categories.svelte.ts';
import { Places } from '../session/optimistic-positions.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';

export interface ChannelGroup {
  category: Category | undefined;
  channels: Channel[];
}

class Channels {
  readonly rows = new RowsByRoom<PublicChannel>(({ id }) => id);
  /** The private channels that the user is a member of, in all servers. */
  readonly privates = new RowsByRoom<PrivateChannel>(({ id }) => id);
  readonly #places = new Places();

  /** In the order of the list; `undefined` before the server has been entered. */
  of(serverId: string): Channel[] | undefined {
    return this.groups(serverId)?.flatMap(({ channels }) => channels);
  }

  groups(serverId: string): ChannelGroup[] | undefined {
    const all = this.#all(serverId)?.sort(byPlace);
    if (!all) return undefined;
    const known = categories.of(serverId);
    const ids = new Set(known.map(({ id }) => id));
    return [
      { category: undefined, channels: all.filter(({ categoryId }) => !ids.has(categoryId ?? '')) },
      ...known.map((category) => ({
        category,
        channels: all.filter(({ categoryId }) => categoryId === category.id),
      })),
    ];
  }

  #all(serverId: string): Channel[] | undefined {
    const rows = this.rows.in(serverRoom(serverId));
    if (!rows) return undefined;
    const mine = this.#mine(serverId);
    // A channel that has just become private or public can briefly be in both.
    const others = [...rows.values()].filter(({ id }) => !this.getPrivate(id));
    return [...others, ...mine].map((channel) => this.#places.show(channel));
  }

  under(serverId: string, categoryId: string | null): Channel[] {
    const groups = this.groups(serverId) ?? [];
    return groups.find(({ category }) => (category?.id ?? null) === categoryId)?.channels ?? [];
  }

  get(serverId: string, id: string): Channel | undefined {
    return (
      this.#mine(serverId).find((channel) => channel.id === id) ??
      this.rows.in(serverRoom(serverId))?.get(id)
    );
  }

  getPrivate(id: string): PrivateChannel | undefined {
    return this.privates.in(userRoom(account.id))?.get(id);
  }

  #mine(serverId: string): PrivateChannel[] {
    const rows = this.privates.in(userRoom(account.id))?.values() ?? [];
    return [...rows].filter((channel) => channel.serverId === serverId);
  }

  take(channel: Channel): Channel {
    if (channel.private) this.privates.apply(userRoom(account.id), [{ row: channel }]);
    else this.rows.apply(serverRoom(channel.serverId), [{ row: channel }]);
    return channel;
  }

  async update({ id }: Channel, what: Omit<Input<'channel:update'>, 'channelId'>): Promise<void> {
    const { channel } = await send('channel:update', { channelId: id, ...what });
    this.take(channel);
  }

  /** Moves it to the place of `others[to]` in a category, or to the end. Shown before the server answers. */
  move(
    channel: Channel,
    categoryId: string | null,
    others: readonly Channel[],
    to: number,
  ): Promise<void> {
    const [above, below] = [others[to - 1]?.position, others[to]?.position];
    const position = between(above, below);
    return this.#places.during(channel, { categoryId, position }, async () => {
      const to = { channelId: channel.id, categoryId, position: below ?? position };
      return (await send('channel:update', to)).channel;
    });
  }
}

export const channels = new Channels();
