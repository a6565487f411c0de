import type { Case, Figures } from './case.ts';
import type { Results } from './rounds.ts';

export interface CaseRow {
  heading: string;
  name: string;
  figures: Figures;
  /** Multiple of the baseline in the first column: the median of the rounds' ratios. */
  ratio?: number;
  rounds: Figures[];
}

export function caseRows(results: Results): CaseRow[] {
  return [...results].map(([one, rounds]) => {
    const { heading, name } = one;
    const columns = Object.keys(rounds[0] ?? {});
    const figures = Object.fromEntries(
      columns.map((column) => {
        const all = rounds.map((round) => round[column] ?? 0);
        // A median would hide failures in a few rounds only.
        return [column, column === 'failed' ? sum(all) : median(all)];
      }),
    );
    const ratio = ratioOf(one, results);
    return { heading, name, figures, ...(ratio === undefined ? {} : { ratio }), rounds };
  });
}

function ratioOf(one: Case, results: Results): number | undefined {
  const baseline = [...results.keys()].find(
    ({ heading, isBaseline }) => heading === one.heading && isBaseline === true,
  );
  if (baseline === undefined || baseline === one) return undefined;
  const firstOf = (which: Case) =>
    (results.get(which) ?? []).map((figures) => Object.values(figures)[0] ?? 0);
  const bases = firstOf(baseline);
  return median(firstOf(one).map((figure, round) => figure / (bases[round] ?? 0)));
}

const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);

const median = (numbers: number[]) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half) - 1] ?? 0)) / 2;
};

export function drawTable(rows: CaseRow[]): string {
  const headings = [...new Set(rows.map(({ heading }) => heading))];
  return headings
    .map((one) =>
      drawBlock(
        one,
        rows.filter(({ heading }) => heading === one),
      ),
    )
    .join('\n\n');
}

function drawBlock(heading: string, rows: CaseRow[]): string {
  const columns = Object.keys(rows[0]?.figures ?? {});
  const lines = rows.map(({ name, figures, ratio }) => [
    `  ${name}`,
    ...columns.map((column) => written(figures[column] ?? 0)),
    ratio === undefined ? '' : ratio.toFixed(ratio < 0.95 ? 3 : 1),
  ]);
  const cells = [['', ...columns, '× bare'], ...lines];
  return [
    heading,
    ...cells.map(
      ([name = '', ...rest]) =>
        `${name.padEnd(34)}${rest.map((cell) => cell.padStart(12)).join('')}`,
    ),
  ].join('\n');
}

const written = (figure: number) => figure.toFixed(figure === 0 || figure >= 100 ? 0 : 1);
