/** A bot in a process of its own, which a test may kill: it answers every message that begins with an exclamation mark. */
import { createBot } from '../../client/bot/bot.ts';

const [positions = ''] = process.argv.slice(2);
const bot = createBot({ positions });
bot.on('message', async ({ body, reply }) => {
  if (body.startsWith('!')) await reply(`answer to ${body}`);
});
await bot.start();
