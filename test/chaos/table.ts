import type { FindingKind } from './findings.ts';
import { isRunKept, type InjectionOutcome, type ChaosReport } from './report.ts';

const maxListed = 12;

const kinds: [title: string, kind: FindingKind][] = [
  ['lost', 'lost'],
  ['doubled', 'doubled'],
  ['out of order', 'out of order'],
  ['different', 'different'],
  ['after access ended', 'after access ended'],
  ['not closed', 'not closed'],
  ['wrong presence', 'wrong presence'],
  ['not recovered', 'not recovered'],
  ['not healed', 'not healed'],
];

/** A Markdown table with one row for each fault, whether injected alone or in a pair. */
export function faultTable(outcomes: readonly InjectionOutcome[]): string {
  const names = [...new Set(outcomes.flatMap(({ fired }) => Object.keys(fired)))].sort();
  const titles = [
    'fault',
    'fired',
    'under way',
    'operations',
    'acknowledged',
    ...kinds.map(([title]) => title),
    'healed in s, median',
    'worst',
    'sessions ended',
    'closed in s, median',
    'worst',
  ];
  const rows = names.map((name) =>
    rowOf(
      name,
      outcomes.filter(({ fired }) => name in fired),
    ),
  );
  return [titles, titles.map((_, i) => (i === 0 ? ':--' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function rowOf(name: string, outcomes: InjectionOutcome[]): string[] {
  const sum = (of: (outcome: InjectionOutcome) => number) =>
    outcomes.reduce((all, one) => all + of(one), 0).toLocaleString('en');
  const heals = sorted(outcomes.map(({ heal = Infinity }) => heal));
  const closings = sorted(outcomes.flatMap(({ closings }) => closings));
  return [
    name,
    sum(({ fired }) => fired[name] ?? 0),
    sum(({ underWay }) => underWay),
    sum(({ operations }) => operations),
    sum(({ acknowledged }) => acknowledged),
    ...kinds.map(([, kind]) => sum(({ findings }) => findings[kind] ?? 0)),
    seconds(median(heals)),
    seconds(heals.at(-1)),
    String(closings.length),
    seconds(median(closings)),
    seconds(closings.at(-1)),
  ];
}

const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
const median = (numbers: number[]) => numbers[Math.floor((numbers.length - 1) / 2)];
const seconds = (number = 0) => (Number.isFinite(number) ? number.toFixed(1) : 'never');

/** A summary; the last line is the verdict, with the seeds. */
export function verdictOfRuns(reports: readonly ChaosReport[]): string {
  const sum = (of: (report: ChaosReport) => number) =>
    reports.reduce((all, one) => all + of(one), 0).toLocaleString('en');
  const findings = reports.flatMap(({ findings, seed }) =>
    findings.map((one) => ({ ...one, seed })),
  );
  const empty = reports
    .flatMap(({ outcomes }) => outcomes)
    .filter(({ underWay, fired }) => underWay === 0 || Object.values(fired).includes(0));
  const seeds = reports.map(({ seed }) => seed).join(', ');
  return [
    `${sum(({ operations }) => operations)} operations, ${sum(({ acknowledged }) => acknowledged)} acknowledged, ` +
      `${sum(({ refused }) => refused)} refused; ${sum(({ deliveries }) => deliveries)} deliveries; ` +
      `${sum(({ outcomes }) => outcomes.length)} injections; ` +
      `${sum(({ lostWithStandby = 0 }) => lostWithStandby)} lost with a standby that lacked them`,
    ...findings
      .slice(0, maxListed)
      .map(({ promise, kind, text, seed }) => `seed ${seed}: ${promise}, ${kind}: ${text}`),
    ...(findings.length > maxListed ? [`and ${findings.length - maxListed} more`] : []),
    ...empty.map(
      ({ fired, seed }) => `seed ${seed}: ${Object.keys(fired).join(' and ')} hit nothing`,
    ),
    `${reports.every(isRunKept) ? 'Every promise was kept' : 'This is not as promised'}: seed ${seeds}`,
  ].join('\n');
}
