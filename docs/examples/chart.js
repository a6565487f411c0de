/**
 * Posts a bar chart to all channels with a name, as a picture, and ends. Each line of the file has a name and a number.
 * No other library is needed: a PNG is a header, rows of pixels in zlib’s format, and checksums.
 *
 *     node chart.js cups.csv general
 */
import { readFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import { createBot } from 'parley/bot';

const [file = 'cups.csv', channelName = 'general'] = process.argv.slice(2);
const lines = (await readFile(file, 'utf8')).trim().split('\n');
const values = lines.map((line) => Number(line.split(',')[1]));

const bot = createBot();
await bot.run();
const channels = bot.servers.flatMap((server) => bot.channels(server.id));
for (const { id } of channels.filter(({ name }) => name === channelName)) {
  const alt = `A bar chart. ${lines.join('; ')}`;
  await bot.send(id, { body: file, files: [{ name: 'chart.png', bytes: draw(values), alt }] });
}
await bot.stop();

/**
 * Draws bars of 40 pixels, with gaps of 10. The highest is 200 pixels high.
 * @param {number[]} bars
 */
function draw(bars) {
  const [width, height] = [bars.length * 50 + 10, 220];
  const highest = Math.max(...bars);
  const rows = Array.from({ length: height }, (_, y) => {
    // The byte before each row is the filter, here none. Each pixel is an index of the palette: background or bar.
    const row = Buffer.alloc(1 + width);
    for (const [i, bar] of bars.entries())
      if (y < 210 && y >= 210 - (bar / highest) * 200) row.fill(1, i * 50 + 11, i * 50 + 51);
    return row;
  });
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from([255, 255, 255, 70, 90, 200])),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * @param {string} name
 * @param {Buffer} content
 */
function chunk(name, content) {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  const named = Buffer.concat([Buffer.from(name), content]);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
