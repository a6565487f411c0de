/**
 * Posts the items of a feed (a file in JSON Feed, https://jsonfeed.org) to all channels with a name.
 * Stores nothing: the id of a message follows from the item, so no item is posted twice.
 *
 *     node feed.js feed.json news
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBot, stableId } from 'parley/bot';

/** @typedef {{ id: string, title: string, url: string, date_published: string }} Item */

const [file = 'feed.json', channelName = 'general'] = process.argv.slice(2);
const posted = new Set();

const bot = createBot();
await bot.run();

let before = '';
while (true) {
  const text = await readFile(file, 'utf8');
  if (text !== before) await postNew(text);
  before = text;
  await sleep(1_000);
}

/** @param {string} text */
async function postNew(text) {
  const { items } = /** @type {{ items: Item[] }} */ (JSON.parse(text));
  // The newest item is first in a feed.
  for (const item of items.toReversed())
    for (const channel of channels()) {
      const id = stableId(new Date(item.date_published), item.id, channel.id);
      if (!posted.has(id)) await bot.say(channel.id, `${item.title}\n${item.url}`, id);
      posted.add(id);
    }
}

function channels() {
  const all = bot.servers.flatMap((server) => bot.channels(server.id));
  return all.filter(({ name }) => name === channelName);
}
