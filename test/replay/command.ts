/**
 * `npm run replay -- [file] [--url http://localhost:3000] [--nodes 2] [--speed 60|max] [--listeners 5]
 * [--server name]`: sends the lines of a conversation file over real sockets, one client for each speaker, then
 * compares the messages of each listener with the database. Exits with 1 if anything differs.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readLines } from './lines.ts';
import { foreignPlace, ownPlace } from './place.ts';
import { progressBar } from './progress.ts';
import { replay } from './replay.ts';
import { isAsItShouldBe, replayTable } from './table.ts';

const excerpt = fileURLToPath(new URL('../fixtures/ubuntu-irc.jsonl', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string' },
    nodes: { type: 'string', default: '1' },
    speed: { type: 'string', default: 'max' },
    listeners: { type: 'string', default: '5' },
    server: { type: 'string', default: 'Replay' },
  },
});

const positive = (name: string, text: string): number => {
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`--${name} ${text}: must be a number above 0.`);
};

async function main(): Promise<void> {
  const speed = values.speed === 'max' ? Infinity : positive('speed', values.speed);
  const [nodes, count] = [positive('nodes', values.nodes), positive('listeners', values.listeners)];
  const lines = await readLines(positionals[0] ?? excerpt);
  const place = values.url === undefined ? await ownPlace(nodes) : foreignPlace(values.url);
  process.once('SIGINT', () => void place.close().then(() => process.exit(130)));
  const bar = progressBar(lines.length);
  try {
    const { urls, db } = place;
    const report = await replay({
      ...{ lines, urls, db, speed, listeners: count },
      server: values.server,
      progress: bar.show,
    });
    bar.end();
    process.stdout.write(`${replayTable(report)}\n`);
    if (!isAsItShouldBe(report)) process.exitCode = 1;
  } finally {
    await place.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
