/**
 * Whether this machine has more to do than processors: then each new piece of work takes time from all others.
 * Linux counts the time in which its processors had nothing to do, in steps so long that it takes a while to see; and,
 * exactly, that in which this very thread had something to do and waited for a processor. Where nothing says so, there
 * is no pressure.
 *
 * Attack: accounts within their limits use all processors. Test: fair-queue.test.ts, “is there while its processors
 * have nothing left”.
 */
import { existsSync, openSync, readSync } from 'node:fs';

/** How often it is looked at, in milliseconds, and the part of the time that processors have left, at least. */
const sampleMs = 200;
const enoughIdle = 0.1;

/** The same for what this thread waits, and the part of the time that it may; after more, there is pressure for `sampleMs`. */
const wait = { sampleMs: 50, most: 0.2 };

export type Pressure = () => boolean;

/** Looks when it is asked, and no more often than makes a difference. */
export function openPressure(
  now = () => performance.now(),
  read = openProcStat(),
  readWaited = openSchedStat(),
): Pressure {
  const isBusy = openMeter(now, sampleMs, read, (last, here) => {
    const all = here.all - last.all;
    return all > 0 && (here.idle - last.idle) / all < enoughIdle;
  });
  let until = -Infinity;
  const isWaiting = openMeter(now, wait.sampleMs, readWaited, (last, here, ms) => {
    if ((here - last) / ms > wait.most) until = now() + sampleMs;
    return now() < until;
  });
  // Both look, whatever the other says.
  return () => [isBusy(), isWaiting()].includes(true);
}

/** Says what came of the latest look at something that is counted, and looks again after so many milliseconds. */
function openMeter<T>(
  now: () => number,
  ms: number,
  read: (() => T) | undefined,
  judge: (last: T, here: T, ms: number) => boolean,
): () => boolean {
  if (read === undefined) return () => false;
  let [at, last, isOver] = [now(), read(), false];
  return () => {
    if (now() - at < ms) return isOver;
    const here = read();
    isOver = judge(last, here, now() - at);
    [at, last] = [now(), here];
    return isOver;
  };
}

interface Ticks {
  all: number;
  idle: number;
}

/** The first line of /proc/stat: user, nice, system, idle, waiting for disks, interrupts, and what was stolen. */
function openProcStat(): (() => Ticks) | undefined {
  const readLine = openLine('/proc/stat');
  return (
    readLine &&
    (() => {
      const ticks = readLine().split(/\s+/).slice(1, 9).map(Number);
      const [, , , idle = 0, disk = 0] = ticks;
      return { all: ticks.reduce((sum, one) => sum + one, 0), idle: idle + disk };
    })
  );
}

/** What the main thread ran, and how long it waited to, in nanoseconds; the latter in milliseconds. */
function openSchedStat(): (() => number) | undefined {
  const readLine = openLine(`/proc/self/task/${process.pid}/schedstat`);
  return readLine && (() => Number(readLine().split(' ')[1]) / 1e6);
}

/** Open for as long as the process lives. */
const files = new Map<string, number>();

/** How to read a file's first line again and again, if there is such a file. */
function openLine(path: string): (() => string) | undefined {
  if (!existsSync(path)) return undefined;
  const fd = files.get(path) ?? openSync(path, 'r');
  files.set(path, fd);
  const line = Buffer.alloc(256);
  return () => {
    const size = readSync(fd, line, 0, line.length, 0);
    return line.toString('latin1', 0, size).split('\n', 1)[0] ?? '';
  };
}
