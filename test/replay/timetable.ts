/** When each line is due. A conversation file knows minutes only. */
import type { ScriptLine } from './lines.ts';

/** Nobody wants to sit through the night between two sessions. */
const longestPause = 300;

/** Seconds from the beginning for each line: those of one minute are spread over it. */
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

/** Lines of the same minute, together. */
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
  // Sessions need not be in the order of the calendar.
  return seconds > 0 ? Math.min(seconds, longestPause) : longestPause;
}

const at = ({ day, time }: ScriptLine) => Date.parse(`${day}T${time}Z`);
