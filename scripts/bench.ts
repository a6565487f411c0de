/** `npm run bench`: what the machine makes of it. `npm run bench -- --rounds 1 --only "one timeline"` is quick. */
import { parseArgs } from 'node:util';
import { conditionsOf, describe } from './bench/conditions.ts';
import { gatherCrowd } from './bench/door.ts';
import { inPlace, type Place } from './bench/place.ts';
import { measureAll } from './bench/rounds.ts';
import { drawTable, rowsOf } from './bench/table.ts';
import { legend, writingCases } from './bench/writing.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    senders: { type: 'string', default: '64' },
    'in-flight': { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
const options = {
  rounds: above0('rounds'),
  seconds: above0('seconds'),
  senders: above0('senders'),
  inFlight: above0('in-flight'),
};

const stopping = new AbortController();
const { signal } = stopping;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, stop);

say('starting a node on a PostgreSQL of its own');
try {
  await inPlace(options.senders, 100, bench);
} catch (error) {
  if (!signal.aborted) throw error;
  process.exitCode = 130;
}

async function bench(place: Place): Promise<void> {
  const conditions = await conditionsOf(place.app.db);
  say(describe(conditions));
  const crowd = await gatherCrowd(place, options.senders);
  try {
    const cases = writingCases(options, crowd).filter(({ heading, name }) =>
      `${heading}: ${name}`.includes(values.only),
    );
    const rows = rowsOf(await measureAll(place, cases, { ...options, signal, say }));
    const { rounds, seconds } = options;
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ conditions, options, rows }, undefined, 2)}\n`
        : `\n${drawTable(rows)}\n\n${legend}\nMedians of ${rounds} rounds of ${seconds} s. ${describe(conditions)}\n`,
    );
  } finally {
    await crowd.leave();
  }
}

function stop(): void {
  if (!signal.aborted) say('stopping');
  stopping.abort();
}

/** How it goes is told where it does not mix with the result. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function above0(option: 'rounds' | 'seconds' | 'senders' | 'in-flight'): number {
  const value = Number(values[option]);
  if (value > 0 && (option === 'seconds' || Number.isInteger(value))) return value;
  say(
    `--${option} is a ${option === 'seconds' ? '' : 'whole '}number above 0, not ${values[option]}.`,
  );
  process.exit(2);
}
