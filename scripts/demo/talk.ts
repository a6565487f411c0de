/** Keeps the demo alive: some of the guests are there, come, go, and say the conversation over again, slowly. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd, outcomeOf } from '../replay/crowd.ts';
import type { Line } from '../replay/lines.ts';
import type { Place } from './place.ts';

/** How many are online. */
const seats = 14;
/** Seconds between two lines. */
const pause = { least: 3, most: 15 };

/** Until the process ends. */
export async function keepTalking(
  url: string,
  lines: readonly Line[],
  { invite, timelines, people }: Place,
): Promise<never> {
  const crowd = new Crowd(
    lines,
    [url],
    { invite, timelineOf: ({ day }) => timelines[day] ?? '' },
    { seats, known: people },
  );
  const first = Math.floor(Math.random() * lines.length);
  const round = [...lines.slice(first), ...lines.slice(0, first)];
  for (const line of round.slice(0, seats)) await perform(crowd, { ...line, type: 'join' });
  for (;;) {
    for (const line of round) {
      await sleep((pause.least + Math.random() * (pause.most - pause.least)) * 1_000);
      await perform(crowd, line);
    }
  }
}

/** A line that cannot be said, since its channel was deleted perhaps, is left out. */
async function perform(crowd: Crowd, line: Line): Promise<void> {
  const outcome = await outcomeOf(crowd.perform(line));
  if ('failed' in outcome)
    process.stderr.write(`${line.nick} couldn’t speak: ${outcome.failed.message}\n`);
}
