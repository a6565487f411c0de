import { createBot } from 'parley/bot';

const bot = createBot(); // PARLEY_URL and PARLEY_TOKEN say where, and as whom
bot.on('message', async ({ body, reply }) => {
  if (body === '!ping') await reply('pong');
});
await bot.run();
