import { isEqual, type Comparison } from './comparison.ts';
import type { ReplayReport } from './replay.ts';

const maxListed = 10;

export const isAsItShouldBe = ({ sent, acknowledged, problems, comparisons }: ReplayReport) =>
  sent === acknowledged && problems.length === 0 && comparisons.every(isEqual);

export function replayTable(report: ReplayReport): string {
  const { lines, speakers, seconds, refused, sent, acknowledged, problems, comparisons } = report;
  return [
    `${count(lines)} lines of ${count(speakers)} speakers in ${seconds.toFixed(1)} s: ` +
      `${count(sent)} messages sent, ${count(acknowledged)} acknowledged, ${(acknowledged / seconds).toFixed(0)}/s`,
    ...(refused.length > 0
      ? [
          `Not sent, since Parley refuses them (white space only, or too long): lines ${refused.join(', ')}`,
        ]
      : []),
    '',
    row(
      '',
      columns.map(([title]) => title),
    ),
    ...comparisons.map((comparison) =>
      row(
        comparison.who,
        columns.map(([, of]) => count(of(comparison))),
      ),
    ),
    '',
    ...problems.slice(0, maxListed),
    ...(problems.length > maxListed
      ? [`and ${count(problems.length - maxListed)} more problems`]
      : []),
    isAsItShouldBe(report)
      ? 'Everything was said once, and everybody holds it in the same order.'
      : 'This is not as it should be.',
  ].join('\n');
}

const columns: [title: string, of: (comparison: Comparison) => number][] = [
  ['held', ({ held }) => held],
  ['missing', ({ missing }) => missing],
  ['doubled', ({ doubled }) => doubled],
  ['out of order', ({ outOfOrder }) => outOfOrder],
  ['different', ({ different }) => different],
];

const row = (who: string, cells: string[]) =>
  who.padEnd(20) + cells.map((cell) => cell.padStart(14)).join('');

const count = (number: number) => number.toLocaleString('en');
