import type { Report } from './run.ts';

const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const s = (value: number) => `${(value / 1_000).toFixed(1)} s`;

export function tableOf({ felt, targeted, outages, counts, memory, load }: Report): string {
  const people = [...felt, targeted].map(
    ({ what, samples, median, p99, ratio }) =>
      `| ${what} | ${samples.quiet} | ${ms(median.quiet)} | ${ms(p99.quiet)} | ${samples.attack} | ${ms(median.attack)} | ${ms(p99.attack)} | ${ratio.toFixed(2)} |`,
  );
  const absences = outages.map(
    ({ what, mended, first, last, healed }) =>
      `| ${what} | ${s(mended)} | ${s(first)} | ${s(last)} | ${s(healed)} |`,
  );
  const strangers = Object.entries(counts).map(
    ([name, { asked, answered, refused, unanswered }]) =>
      `| ${name} | ${asked} | ${answered} | ${refused} | ${unanswered} |`,
  );
  const nodes = memory.before.map(
    (before, i) => `| ${i + 1} | ${before} MB | ${memory.peak[i]} MB | ${memory.after[i]} MB |`,
  );
  const times = Object.entries(load.cores).map(([name, cores]) => {
    const late = load.late[name];
    const delays = late ? `${ms(late.quiet)} | ${ms(late.attack)}` : '|';
    return `| ${name} | ${cores.quiet.toFixed(2)} | ${cores.attack.toFixed(2)} | ${delays} |`;
  });
  return [
    '| honest people | quiet | median | p99 | attack | median | p99 | ratio of the p99 |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    ...people,
    '',
    '| under attack, and since then | it can be reached | a message is answered | all messages | everybody is connected |',
    '|---|---:|---:|---:|---:|',
    ...absences,
    '',
    '| attack | asked | answered | refused | not answered |',
    '|---|---:|---:|---:|---:|',
    ...strangers,
    '',
    '| node | before | at most | after |',
    '|---|---:|---:|---:|',
    ...nodes,
    '',
    '| cores used by | quiet | attack | p99 of its event loop’s delay, quiet | attack |',
    '|---|---:|---:|---:|---:|',
    ...times,
  ].join('\n');
}

export function verdictOf({ seed, findings, felt, lost, ...counts }: Report) {
  const { acknowledged, deliveries, parsed } = counts;
  const said = `${acknowledged} acknowledged, ${lost} of them after the backup, ${deliveries} heard, ${parsed} hostile messages parsed`;
  const slow = felt.filter(({ ratio }) => !(ratio <= maxFactor));
  return [
    ...findings.map(({ promise, text }) => `${promise}: ${text}`),
    ...slow.map(({ what, ratio }) => `${what}: p99 is ${ratio.toFixed(2)} times that of quiet`),
    findings.length + slow.length === 0
      ? `Seed ${seed}: nothing lost, and p99 within twice that of quiet (${said}).`
      : `Seed ${seed}: not as promised (${said}).`,
  ].join('\n');
}

const maxFactor = 2;

export const isKept = ({ findings, felt }: Report) =>
  findings.length === 0 && felt.every(({ ratio }) => ratio <= maxFactor);
