/** A bot in its own process, of the built library, which a test can kill. Answers messages that begin with `!`. */
import process from 'node:process';

/** @type {unknown} */
const library = await import(new URL('../../dist/bot/client/bot/bot.js', import.meta.url).href);
const { createBot } = /** @type {typeof import('../../client/bot/bot.ts')} */ (library);

const [positions = ''] = process.argv.slice(2);
const bot = createBot({ positions });
bot.on('message', async ({ body, reply }) => {
  if (body.startsWith('!')) await reply(`answer to ${body}`);
});
await bot.start();
