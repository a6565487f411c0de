/**
 * `npm run chaos [-- --minutes 3 --seed 7 --only "node killed" --json file]`: a whole cluster and real clients under
 * faults. From 2.5 minutes on, the time is split into several runs with consecutive seeds. `--json` appends the report
 * of each run to a file; `--from` prints the reports in a file again. Exits with 1 if a promise is broken.
 */
import { appendFile, readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { check } from './check.ts';
import { faults, type FaultName } from './faults.ts';
import { isRunKept, chaosReportOf, type ChaosReport } from './report.ts';
import { runChaos, type ChaosProgress } from './run.ts';
import type { FaultPlan } from './inject-faults.ts';
import { faultTable, verdictOfRuns } from './table.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1.7' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 100_000)) },
    only: { type: 'string' },
    json: { type: 'string' },
    from: { type: 'string' },
  },
});

/** Seconds of faults in one run. Longer runs would only grow one database. */
const longest = 100;

function plansOf(only: string): FaultPlan[] {
  const names = only.split(' and ');
  const known = names.filter((name): name is FaultName => name in faults);
  if (known.length === names.length)
    return [{ faults: known, quietly: known[0] !== 'PostgreSQL standby promoted' }];
  throw new Error(
    `--only ${only}: must be one of ${Object.keys(faults).join(', ')}, or two with “and”.`,
  );
}

async function main(): Promise<void> {
  const reports = values.from === undefined ? await runAll() : await readReports(values.from);
  process.stdout.write(`\n${faultTable(reports.flatMap(({ outcomes }) => outcomes))}\n\n`);
  process.stdout.write(`${verdictOfRuns(reports)}\n`);
  if (!reports.every(isRunKept)) process.exitCode = 1;
}

async function readReports(path: string): Promise<ChaosReport[]> {
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ChaosReport);
}

async function runAll(): Promise<ChaosReport[]> {
  const seconds = Number(values.minutes) * 60;
  const seed = Number(values.seed);
  if (!(seconds > 0 && Number.isInteger(seed)))
    throw new Error('--minutes must be a positive number, and --seed an integer.');
  const injections = values.only === undefined ? {} : { injections: plansOf(values.only) };
  const runs = Math.max(1, Math.round(seconds / longest));
  const reports: ChaosReport[] = [];
  for (let i = 0; i < runs; i += 1) {
    const plan = {
      seed: seed + i,
      seconds: seconds / runs,
      calmSeconds: 6,
      guests: 12,
      ...injections,
    };
    const ended = await runChaos({ ...plan, progress: (now) => show(`seed ${seed + i}  `, now) });
    const report = chaosReportOf(ended.history, check(ended));
    reports.push(report);
    if (values.json !== undefined) await appendFile(values.json, `${JSON.stringify(report)}\n`);
    process.stderr.write(`\n`);
    process.stdout.write(`${verdictOfRuns([report])}\n`);
  }
  return reports;
}

let shown = 0;

function show(head: string, { seconds, what, operations, answered }: ChaosProgress): void {
  const line = `${head}${seconds.toFixed(0).padStart(4)} s  ${answered}/${operations} answered  ${what}`;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if ((shown += 1) % 5 === 0) process.stderr.write(`${line}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
});
