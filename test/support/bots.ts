import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBot, type Bot, type BotOptions } from '../../client/bot/bot.ts';
import type { BotScope } from '../../shared/bots.ts';
import type { Message } from '../../shared/messages.ts';
import type { z } from 'zod';
import type { TestApp } from './app.ts';
import type { Person } from './person.ts';

export interface Workshop {
  ann: Person;
  serverId: string;
  channelId: string;
  botId: string;
  token: string;
}

export async function openWorkshop(
  app: TestApp,
  scopes: z.input<typeof BotScope>[] = ['send'],
): Promise<Workshop> {
  const ann = await app.person('Ann');
  const { server } = await ann.send('server:create', { name: 'Workshop' });
  const { bot, token } = await ann.send('bot:create', { name: 'Echo', scopes });
  await ann.send('bot:add', { botId: bot.id, serverId: server.id });
  return {
    ann,
    serverId: server.id,
    channelId: server.defaultChannelId,
    botId: bot.id,
    token,
  };
}

export class BotFixture {
  readonly lines: string[] = [];
  readonly #bots: Bot[] = [];
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(): Promise<BotFixture> {
    return new BotFixture(await mkdtemp(join(tmpdir(), 'parley-bots-')));
  }

  async close() {
    await Promise.all(this.#bots.map((bot) => bot.stop()));
    await rm(this.#directory, { recursive: true, force: true });
  }

  file = (name: string) => join(this.#directory, name);

  /** A bot that has not started. Its log goes to `lines`. */
  bot(options: BotOptions): Bot {
    const bot = createBot({ log: (line) => this.lines.push(line), ...options });
    this.#bots.push(bot);
    return bot;
  }
}

export async function readAll(person: Person, timelineId: string): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const after = all.at(-1)?.position ?? 0;
    const { messages, more } = await person.send('message:list', { timelineId, after, limit: 100 });
    all.push(...messages);
    if (!more.after) return all;
  }
}
