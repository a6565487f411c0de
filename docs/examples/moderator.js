/**
 * Deletes messages with forbidden words, also after edits, and removes people who write them three times. Needs the
 * scopes `send`, `manage messages` and `manage members`, and the role of a moderator.
 *
 *     node moderator.js heck darn
 */
import { createBot } from 'parley/bot';

const words = process.argv.slice(2).map((word) => word.toLowerCase());
/** @type {Map<string, number>} number of messages, by person and server */
const strikes = new Map();

const bot = createBot();

bot.on('message', async ({ body, author, server, reply, ...message }) => {
  if (!isForbidden(body) || server === undefined) return;
  await message.delete();
  const key = `${author.id} ${server.id}`;
  const count = (strikes.get(key) ?? 0) + 1;
  strikes.set(key, count);
  if (count < 3) await reply(`<@${author.id}>, not here, please (${count} of 3).`);
  else await bot.command('member:remove', { serverId: server.id, userId: author.id });
});

bot.on('message:updated', async ({ message }) => {
  const isMine = message.authorId === bot.you.id;
  if (!isMine && isForbidden(message.body))
    await bot.command('message:delete', { messageId: message.id });
});

/** @param {string} body */
function isForbidden(body) {
  const said = body.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => said.includes(word));
}

await bot.run();
