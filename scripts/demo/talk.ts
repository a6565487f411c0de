/** Keeps the demo alive: some of the guests come, go, and slowly repeat the conversation. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReplayCrowd, outcomeOf } from '../../test/replay/crowd.ts';
import { spoken, type ScriptLine } from '../../test/replay/lines.ts';
import type { DemoPlace } from './place.ts';
import { openWelcome } from './welcome.ts';

const online = 14;
/** In seconds: the pause between two lines, and the time of typing after it. */
const pause = { min: 1, max: 3 };
const typing = { min: 1, max: 3 };
/** The share of lines in the channel in which new people arrive. */
const shareOfFirst = 0.6;

export async function keepTalking(
  url: string,
  lines: readonly ScriptLine[],
  place: DemoPlace,
  ended?: AbortSignal,
): Promise<void> {
  const { invite, timelines, arrivalId, people } = place;
  const timelineOf = ({ day }: ScriptLine) => timelines[day] ?? arrivalId;
  const crowd = new ReplayCrowd(
    lines,
    [url],
    { invite, timelineOf },
    { sockets: online, known: people },
  );
  const welcome = openWelcome(url, place);
  for (const line of lines.slice(0, online)) await perform(crowd, { ...line, type: 'join' });
  for (const line of endlessly(lines, (line) => timelineOf(line) === arrivalId)) {
    if (ended?.aborted) break;
    await tried('Newcomers couldn’t be welcomed', welcome.newcomers());
    await sleep(between(pause));
    if (spoken(line) !== undefined) {
      await tried(
        `${line.nick} couldn’t type`,
        crowd.ask(line, 'typing:set', (timelineId) => ({ timelineId })),
      );
      await sleep(between(typing));
    }
    await perform(crowd, line);
  }
  crowd.close();
  welcome.close();
}

/** Repeats the lines of all channels in their order, most often those of the first. */
function* endlessly(
  lines: readonly ScriptLine[],
  isFirst: (line: ScriptLine) => boolean,
): Generator<ScriptLine> {
  const first = repeatForever(lines.filter(isFirst));
  const others = repeatForever(lines.filter((line) => !isFirst(line)));
  for (;;) {
    const { value } = (Math.random() < shareOfFirst ? first : others).next();
    if (value !== undefined) yield value;
  }
}

function* repeatForever(
  lines: readonly ScriptLine[],
): Generator<ScriptLine | undefined, undefined> {
  const start = Math.floor(Math.random() * lines.length);
  for (let next = start; ; next += 1) yield lines[next % lines.length];
}

const between = ({ min, max }: typeof pause) => (min + Math.random() * (max - min)) * 1_000;

/** Skips a line that cannot be said, perhaps because its channel was deleted. */
const perform = (crowd: ReplayCrowd, line: ScriptLine) =>
  tried(`${line.nick} couldn’t send a message`, crowd.perform(line));

async function tried(what: string, work: Promise<unknown>): Promise<void> {
  const outcome = await outcomeOf(work.then(() => undefined));
  if ('failed' in outcome) process.stderr.write(`${what}: ${outcome.failed.message}\n`);
}
