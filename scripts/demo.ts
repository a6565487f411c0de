/**
 * `npm run demo`: Parley as `npm start` starts it, in a place where people have talked and go on talking. It
 * is filled once; everything is kept in `data/demo`, or where PARLEY_DATA says.
 */
import { fileURLToPath } from 'node:url';
import { readLines } from './replay/lines.ts';
import { progressBar } from './replay/progress.ts';
import { startParley, type Parley } from './demo/parley.ts';
import { fill } from './demo/fill.ts';
import { readPlace } from './demo/place.ts';
import { keepTalking } from './demo/talk.ts';

const excerpt = fileURLToPath(new URL('../test/fixtures/ubuntu-irc.jsonl', import.meta.url));
const directory = process.env.PARLEY_DATA ?? './data/demo';

async function main(): Promise<void> {
  const lines = await readLines(excerpt);
  const parley = await startParley(directory);
  const origin = new URL(parley.address).origin;
  const bar = progressBar(lines.length);
  const place = (await readPlace(directory)) ?? (await fill(origin, lines, directory, bar.show));
  bar.end();
  process.stdout.write(`${greeting(parley, `${origin}/join/${place.invite}`)}\n`);
  if (!place.filled)
    process.stderr.write(
      `It was stopped while it was being filled. Delete ${directory} to start over.\n`,
    );
  await keepTalking(origin, lines, place);
}

/** As `npm start` says it, with the way in to where the people are. */
function greeting({ address, ownedByFirst }: Parley, way: string): string {
  const owner = ownedByFirst ? ` (whoever registers first at ${address} owns it)` : '';
  return `Parley is ready, and people are talking: ${way}${owner}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
