/**
 * A bot in a process of its own, which a test may kill: it answers every message that begins with an exclamation mark.
 * From the build, as bots get the library.
 */
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
