/** `npm run bench` runs all benchmarks. `npm run bench -- --rounds 1 --only "one timeline"` is quick. */
import { parseArgs } from 'node:util';
import { arriving, arrivingLegend } from './arriving.ts';
import { carrying, carryingLegend } from './carrying.ts';
import type { Act } from './case.ts';
import { clientHeading, measureClient } from './client.ts';
import { conditionsOf, describe } from './conditions.ts';
import { delivering, deliveringLegend } from './delivering.ts';
import { filesHeadings, filesLegend, measureFiles } from './files.ts';
import { withCrowd } from './load-process.ts';
import { measureIdle } from './idle.ts';
import { nodesLegend, onSeveralNodes } from './nodes.ts';
import { inPlace, type BenchPlace } from './place.ts';
import { returning, returningLegend } from './returning.ts';
import { measureAll, type Results } from './rounds.ts';
import { sharing, sharingLegend } from './sharing.ts';
import { storming, stormLegend } from './storm.ts';
import { drawTable, caseRows } from './table.ts';
import { writing, writingLegend } from './writing.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    senders: { type: 'string', default: '64' },
    'in-flight': { type: 'string', default: '16' },
    idle: { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
const options = {
  rounds: above0('rounds'),
  seconds: above0('seconds'),
  senders: above0('senders'),
  inFlight: above0('in-flight'),
  idle: above0('idle'),
};

const legends = [
  writingLegend,
  deliveringLegend,
  carryingLegend,
  filesLegend,
  sharingLegend,
  stormLegend,
  arrivingLegend,
  returningLegend,
  nodesLegend,
];

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

async function bench(place: BenchPlace): Promise<void> {
  const conditions = await conditionsOf(place.db);
  say(describe(conditions));
  const results: Results[] = [];
  if (`${options.idle} idle connections`.includes(values.only))
    results.push(await measureIdle(place, options.idle));
  if (clientHeading.includes(values.only)) results.push(await measureClient(place));
  if (filesHeadings.some((heading) => heading.includes(values.only)))
    results.push(await measureFiles(place, { ...options, signal, say }));
  const acts = [
    writing(options),
    delivering(100, place),
    delivering(1_000, place),
    carrying(options, place),
    sharing,
    storming(100, place),
    arriving,
    returning(options.idle, place),
    onSeveralNodes,
  ];
  for (const act of acts) results.push(await perform(act, place));
  const rows = results.flatMap(caseRows);
  const { rounds, seconds } = options;
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ conditions, options, rows }, undefined, 2)}\n`
      : `\n${drawTable(rows)}\n\n${legends.join('\n')}\nMedians of ${rounds} rounds of ${seconds} s. ${describe(conditions)}\n`,
  );
}

function perform({ people, channels, casesWith }: Act, place: BenchPlace): Promise<Results> {
  return withCrowd<Results>(place, async (crowd) => {
    const cases = casesWith(crowd).filter(({ heading, name }) =>
      `${heading}: ${name}`.includes(values.only),
    );
    if (cases.length === 0) return new Map();
    await crowd.enter(people, channels);
    return measureAll(place, cases, { ...options, signal, say });
  });
}

function stop(): void {
  if (!signal.aborted) say('stopping');
  stopping.abort();
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function above0(option: 'rounds' | 'seconds' | 'senders' | 'in-flight' | 'idle'): number {
  const value = Number(values[option]);
  if (value > 0 && (option === 'seconds' || Number.isInteger(value))) return value;
  say(
    `--${option} is a ${option === 'seconds' ? '' : 'whole '}number above 0, not ${values[option]}.`,
  );
  process.exit(2);
}
