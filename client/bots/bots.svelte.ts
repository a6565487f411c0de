import type { Bot, BotScope } from '../../shared/bots.ts';
import { newId } from '../sync/ids.ts';
import { LoadedList } from '../session/loaded-list.svelte.ts';
import { send } from '../session/socket.ts';

export const scopeWords: Record<BotScope, string> = {
  send: 'Write messages',
  'manage messages': 'Delete anyone’s messages',
  'manage channels': 'Create, edit and delete channels',
  'manage members': 'Remove and ban members, and answer requests to join',
};

/** The user's bots, loaded while they are shown, because no room's state has them. */
export class Bots extends LoadedList<Bot> {
  /** The new token. It is shown until the user leaves the page and cannot be requested again. */
  fresh = $state.raw<{ bot: Bot; token: string }>();

  protected async read() {
    return (await send('bot:list', {})).bots;
  }

  async create(name: string, scopes: BotScope[]) {
    this.#arm(await send('bot:create', { name, scopes, id: newId() }));
  }

  async setPicture(botId: string, avatar: string | null) {
    const { bot } = await send('bot:update', { botId, avatar });
    this.list = this.list?.map((one) => (one.id === botId ? bot : one));
  }

  async rotate(botId: string) {
    this.#arm(await send('bot:rotate', { botId }));
  }

  async delete(botId: string) {
    await send('bot:delete', { botId });
    this.list = this.list?.filter(({ id }) => id !== botId);
    if (this.fresh?.bot.id === botId) this.fresh = undefined;
  }

  async addTo(serverId: string, botId: string) {
    await send('bot:add', { serverId, botId });
  }

  #arm(made: { bot: Bot; token: string }) {
    this.fresh = made;
    const others = this.list?.filter(({ id }) => id !== made.bot.id) ?? [];
    this.list = [...others, made.bot].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }
}
