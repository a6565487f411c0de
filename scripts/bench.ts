/**
 * `npm run bench [-- --rounds 5 --seconds 3 --senders 64]`: what the machine makes of it. The cases take
 * turns within each round, so that whatever else the machine does hits all of them; ratios and medians count.
 */
import { parseArgs } from 'node:util';
import { openPlace } from './bench/place.ts';
import { cases, measure, type Case, type Figures } from './bench/writing.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    senders: { type: 'string', default: '64' },
  },
});
const [rounds, seconds, senders] = [values.rounds, values.seconds, values.senders].map(Number) as [
  number,
  number,
  number,
];

const median = (numbers: number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const titleOf = ({ name, timelines }: Case) =>
  `${name}, ${timelines === 1 ? 'one timeline' : `${timelines} timelines`}`;
const say = (line: string) => void process.stdout.write(`${line}\n`);

say(
  `${senders} senders, each with one message under way; fsync on; ${rounds} rounds of ${seconds} s.`,
);
const place = await openPlace(senders, 100);
process.once('SIGINT', () => void place.close().then(() => process.exit(130)));
for (const one of cases) await measure(place, one, { senders, seconds: 1 });

const results = new Map<Case, Figures[]>(cases.map((one) => [one, []]));
for (let round = 1; round <= rounds; round += 1) {
  for (const [one, all] of results) {
    const figures = await measure(place, one, { senders, seconds });
    all.push(figures);
    say(`  round ${round}/${rounds}  ${titleOf(one)}: ${figures.perSecond.toFixed(0)}/s`);
  }
}
await place.close();

say('');
say(`${''.padEnd(40)} durable/s   p50 ms   p99 ms   group commit is`);
for (const [one, all] of results) {
  const of = (key: keyof Figures, digits: number, width: number) =>
    median(all.map((figures) => figures[key]))
      .toFixed(digits)
      .padStart(width);
  const group = [...results].find(
    ([{ name, timelines }]) => name === 'group commit' && timelines === one.timelines,
  );
  const ratios = all.map(({ perSecond }, round) => (group?.[1][round]?.perSecond ?? 0) / perSecond);
  const ratio = one === group?.[0] ? '' : `${median(ratios).toFixed(1)} times as fast`;
  const figures = `${of('perSecond', 0, 9)} ${of('p50', 1, 8)} ${of('p99', 1, 8)}`;
  say(`${titleOf(one).padEnd(40)} ${figures}   ${ratio}`);
}
say(
  'Medians of the rounds. “bare” skips ids, read marks and the order of locks, and could not promise what Parley does.',
);
