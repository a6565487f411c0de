/** My bots, while they are looked at. They are no room state. */
import type { Bot } from '../../shared/bots.ts';
import { newId } from '../sync/ids.ts';
import { send } from '../session/socket.ts';
import { words } from '../session/error-text.ts';

export type Scope = Bot['scopes'][number];

/** What a token can allow, in a person’s words. */
export const scopeWords: Record<Scope, string> = {
  send: 'Write messages',
  'manage messages': 'Delete anyone’s messages',
  'manage channels': 'Create, edit and delete channels',
  'manage members': 'Remove and ban members',
};

export class Bots {
  list = $state.raw<readonly Bot[]>();
  failure = $state<string>();
  /** Shown until the page is left: nobody can ask for it again. */
  fresh = $state.raw<{ bot: Bot; token: string }>();

  async load() {
    this.failure = undefined;
    try {
      this.list = (await send('bot:list', {})).bots;
    } catch (error) {
      this.failure = words(error);
    }
  }

  async create(name: string, scopes: Scope[]) {
    this.#arm(await send('bot:create', { name, scopes, id: newId() }));
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
