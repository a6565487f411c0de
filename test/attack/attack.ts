/**
 * `npm run attack [-- --minutes 5 --seed 7 --only 'do not exist' --share 0.01 --json file]`: runs all attacks at once,
 * against three nodes with every limit at its default, while honest people talk. `--only` selects attacks by a part of
 * their names. `--share` selects a part of each crowd, at least one guest. In the end the primary database ends under
 * attack, and a backup is restored.
 * Exits with 1 if honest people lose anything that the backup has, or wait more than twice as long as in quiet phases.
 */
import { appendFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { whole } from './furnish.ts';
import { run } from './run.ts';
import { isKept, tableOf, verdictOf } from './table.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 100_000)) },
    only: { type: 'string', default: '' },
    share: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});

/** Seconds of each quiet phase, and of each attack. */
const lengths = { quiet: 20, attack: 40 };

async function main(): Promise<void> {
  const [seconds, seed] = [Number(values.minutes) * 60, Number(values.seed)];
  const share = Number(values.share);
  if (!(seconds > 0 && Number.isInteger(seed)))
    throw new Error('--minutes must be a positive number, and --seed an integer.');
  if (!(share > 0 && share <= 1)) throw new Error('--share must be greater than 0 and at most 1.');
  const report = await run({
    seed,
    guests: 12,
    turns: Math.max(1, Math.round(seconds / (lengths.quiet + lengths.attack))),
    ...lengths,
    sizes: whole,
    only: values.only,
    share,
    isAlone: true,
    progress: (what) => process.stderr.write(`${what}\n`),
  });
  if (values.json !== undefined) await appendFile(values.json, `${JSON.stringify(report)}\n`);
  process.stdout.write(`\n${tableOf(report)}\n\n${verdictOf(report)}\n`);
  if (!isKept(report)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
});
