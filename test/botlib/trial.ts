import { fileURLToPath } from 'node:url';
import type { Bot } from '../../client/bot/bot.ts';
import type { TestApp } from '../support/app.ts';
import { openWorkshop, readAll, type BotFixture } from '../support/bots.ts';

/** A workshop with a bot in it. The bots that are created for it belong to the fixture. */
export async function openBotWorkshop(app: TestApp, fixture: BotFixture) {
  const workshop = await openWorkshop(app);
  const { ann, channelId } = workshop;
  return {
    ...workshop,
    say: (body: string, timelineId = channelId) => ann.send('message:send', { timelineId, body }),
    made: (more: object = {}) =>
      fixture.bot({
        url: app.url,
        token: workshop.token,
        positions: fixture.file('positions.json'),
        ...more,
      }),
    all: () => readAll(ann, channelId),
  };
}

export const answering = (bot: Bot, received: string[] = []) =>
  bot.on('message', async ({ body, reply }) => {
    received.push(body);
    if (body.startsWith('!')) await reply(`answer to ${body}`);
  });

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const bodies = (messages: { body: string }[]) => messages.map(({ body }) => body);
