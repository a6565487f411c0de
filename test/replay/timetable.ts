import type { ScriptLine } from './lines.ts';

/** Maximum seconds between two minutes with lines, so that a replay does not wait through a night. */
const longestPause = 300;

/** Seconds from the start for each line. A file has minutes only, so the lines of a minute are spread over it. */
export function timetable(lines: readonly ScriptLine[]): number[] {
  const due: number[] = [];
  let minuteBegins = 0;
  let last: ScriptLine[] = [];
  for (const minute of minutes(lines)) {
    minuteBegins += pauseBetween(last[0], minute[0]);
    for (const place of minute.keys()) due.push(minuteBegins + (place * 60) / minute.length);
    last = minute;
  }
  return due;
}

function minutes(lines: readonly ScriptLine[]): ScriptLine[][] {
  const all: ScriptLine[][] = [];
  for (const line of lines) {
    const current = all.at(-1);
    if (current?.[0]?.day === line.day && current[0].time === line.time) current.push(line);
    else all.push([line]);
  }
  return all;
}

function pauseBetween(one: ScriptLine | undefined, next: ScriptLine | undefined): number {
  if (one === undefined || next === undefined) return 0;
  const seconds = (at(next) - at(one)) / 1_000;
  // Sessions are not always in chronological order.
  return seconds > 0 ? Math.min(seconds, longestPause) : longestPause;
}

const at = ({ day, time }: ScriptLine) => Date.parse(`${day}T${time}Z`);
