/** `npm run demo`: Parley in a place where people talk. Fills it once; its data is in `data/demo` or PARLEY_DATA. */
import { fileURLToPath } from 'node:url';
import { readLines } from '../test/replay/lines.ts';
import { progressBar } from '../test/replay/progress.ts';
import { ownerLink, startParley } from './demo/parley.ts';
import { fillDemo } from './demo/fill.ts';
import { readPlace, type DemoPlace } from './demo/place.ts';
import { names, ownerName } from './demo/regulars.ts';
import { keepTalking } from './demo/talk.ts';

const excerpt = fileURLToPath(new URL('../test/fixtures/ubuntu-irc.jsonl', import.meta.url));
const directory = process.env.PARLEY_DATA ?? './data/demo';

async function main(): Promise<void> {
  const lines = await readLines(excerpt);
  const parley = await startParley(directory);
  const { origin } = new URL(parley.address);
  const bar = progressBar(lines.length);
  const place =
    (await readPlace(directory)) ?? (await fillDemo(parley.address, lines, directory, bar.show));
  bar.end();
  process.stdout.write(`${await greeting(origin, place)}\n`);
  if (!place.filled)
    process.stderr.write(
      `The demo was stopped while its messages were being created. Delete ${directory} to start over.\n`,
    );
  await keepTalking(origin, lines, place);
}

/** Both links lead to the conversations: as the owner, with unread messages, and as a new person. */
async function greeting(origin: string, { invite }: DemoPlace): Promise<string> {
  return [
    'Parley is ready, and people are talking.',
    `  As its owner, ${names[ownerName]}: ${await ownerLink(origin, directory)}`,
    `  As a visitor: ${origin}/join/${invite}`,
  ].join('\n');
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
