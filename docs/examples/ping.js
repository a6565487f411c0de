import { createBot } from 'parley/bot';

const bot = createBot(); // reads PARLEY_URL and PARLEY_TOKEN
bot.on('message', async ({ body, reply }) => {
  if (body === '!ping') await reply('pong');
});
await bot.run();
