/**
 * Whether this machine has more to do than processors: then whoever starts another thing takes time from all others.
 * Linux counts the time in which its processors had nothing to do; where nothing says so, there is no pressure.
 */
import { existsSync, openSync, readSync } from 'node:fs';

/** How often it is looked at, in milliseconds, and the part of the time that processors have left, at least. */
const every = 200;
const enoughIdle = 0.1;

export type Pressure = () => boolean;

/** Looks when it is asked, and no more often than makes a difference. */
export function openPressure(now = () => performance.now(), read = openProcStat()): Pressure {
  let at = now();
  let last = read?.();
  let isPressed = false;
  return () => {
    if (read === undefined || last === undefined || now() - at < every) return isPressed;
    const here = read();
    const all = here.all - last.all;
    isPressed = all > 0 && (here.idle - last.idle) / all < enoughIdle;
    [at, last] = [now(), here];
    return isPressed;
  };
}

interface Ticks {
  all: number;
  idle: number;
}

/** Open for as long as the process lives. */
let file: number | undefined;

/** The first line of /proc/stat: user, nice, system, idle, waiting for disks, interrupts, and what was stolen. */
function openProcStat(): (() => Ticks) | undefined {
  if (!existsSync('/proc/stat')) return undefined;
  const fd = (file ??= openSync('/proc/stat', 'r'));
  const line = Buffer.alloc(256);
  return () => {
    const size = readSync(fd, line, 0, line.length, 0);
    const [first = ''] = line.toString('latin1', 0, size).split('\n');
    const ticks = first.split(/\s+/).slice(1, 9).map(Number);
    const [, , , idle = 0, disk = 0] = ticks;
    return { all: ticks.reduce((sum, one) => sum + one, 0), idle: idle + disk };
  };
}
