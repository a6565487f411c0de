/** The report of a run: failures, the slowest tests on request, and a line that a program can parse. */
import type { Runnable, Runner } from 'mocha';

export interface Ran {
  file: string;
  ms: number;
  /** Processor time of the worker, its browser and nodes, as Linux counts it; with one worker, also the database. */
  cpuMs: number;
  tests: Tried[];
}

export interface Tried {
  title: string;
  ms: number;
  /** Flaky: failed in the run, and passed when its file ran once more, alone. */
  outcome: 'passed' | 'failed' | 'flaky' | 'skipped';
  why?: string;
}

/** Bound on the characters of an error, because the difference of two long texts can be very long. */
const maxErrorText = 2_000;

export function listen(runner: Runner, tests: Tried[]): void {
  const note = (outcome: Tried['outcome']) => (test: Runnable, error?: Error) =>
    void tests.push({
      ...{ title: test.fullTitle(), ms: test.duration ?? 0, outcome },
      ...(error && { why: String(error.stack ?? error).slice(0, maxErrorText) }),
    });
  runner.on('pass', note('passed')).on('fail', note('failed')).on('pending', note('skipped'));
}

export const hasFailed = ({ tests }: Ran) => tests.some(({ outcome }) => outcome === 'failed');

/** The statements of docs/experience.md that a test proves. */
const statementsIn = (title: string): string[] => title.match(/\b(?:UX|A11Y)-\d\d\b/g) ?? [];

/** @param slowest how many of the slowest tests and files are listed */
export function reportOf(ran: Ran[], slowest = 0): string {
  const tests = ran.flatMap(({ file, tests }) => tests.map((test) => ({ ...test, file })));
  const of = (outcome: string) => tests.filter((test) => test.outcome === outcome);
  const failed = of('failed');
  const rest = (['flaky', 'skipped'] as const).map((outcome) => [of(outcome).length, outcome]);
  return [
    ...[...of('flaky'), ...failed].map(
      ({ file, title, outcome, why }) =>
        `${outcome}: ${title}\n        ${file}\n${indented(why ?? '')}`,
    ),
    ...longest(
      'tests',
      'took',
      tests.map(({ title, ms }) => [title, ms]),
      slowest,
    ),
    ...longest(
      'files',
      'took',
      ran.map(({ file, ms }) => [file, ms]),
      slowest,
    ),
    ...longest(
      'files',
      'of a processor',
      ran.map(({ file, cpuMs }) => [file, cpuMs]),
      slowest,
    ),
    ...verdict(
      new Set(tests.flatMap(({ title }) => statementsIn(title))),
      new Set(failed.flatMap(({ title }) => statementsIn(title))),
    ),
    [[of('passed').length, 'passed'], [failed.length, 'failed'], ...rest.filter(([count]) => count)]
      .map(([count, outcome]) => `${count} ${outcome}`)
      .join(', '),
  ].join('\n');
}

export const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

const indented = (text: string) => text.replace(/^/gm, '        ');

function longest(
  what: string,
  by: string,
  took: [name: string, ms: number][],
  count: number,
): string[] {
  if (count === 0) return [];
  const first = took.sort(([, one], [, other]) => other - one).slice(0, count);
  const lines = first.map(([name, ms]) => `${inSeconds(ms).padStart(9)}  ${name}`);
  return [`The slowest ${what} (seconds ${by}):`, ...lines];
}

function verdict(tried: Set<string>, broken: Set<string>): string[] {
  if (tried.size === 0) return [];
  const not = broken.size === 0 ? '' : `, not ${[...broken].sort().join(', ')}`;
  return [
    `${tried.size - broken.size} of ${tried.size} statements of docs/experience.md hold${not}`,
  ];
}
