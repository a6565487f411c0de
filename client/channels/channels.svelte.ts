import type { Channel } from '../../shared/channels.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { RowsByRoom } from '../rows.svelte.ts';
import { send } from '../socket.ts';
import { v7 as newId } from 'uuid';

class Channels {
  readonly rows = new RowsByRoom<Channel>(({ id }) => id);

  /** In the order that its moderators gave them; `undefined` before the server was entered. */
  of(serverId: string): Channel[] | undefined {
    const rows = this.rows.in(serverRoom(serverId));
    return (
      rows && [...rows.values()].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
    );
  }

  get(serverId: string, id: string): Channel | undefined {
    return this.rows.in(serverRoom(serverId))?.get(id);
  }

  async create(serverId: string, name: string, topic: string): Promise<Channel> {
    const wanted = { serverId, name, id: newId(), ...(topic && { topic }) };
    const { channel } = await send('channel:create', wanted);
    this.rows.apply(serverRoom(serverId), [{ row: channel }]);
    return channel;
  }

  async update({ id, serverId }: Channel, what: { name?: string; topic?: string }) {
    const { channel } = await send('channel:update', { channelId: id, ...what });
    this.rows.apply(serverRoom(serverId), [{ row: channel }]);
  }

  async delete({ id }: Channel) {
    await send('channel:delete', { channelId: id });
  }
}

export const channels = new Channels();
