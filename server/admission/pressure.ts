/**
 * Detects that this machine has more work than processors, so that each new piece of work slows the others. Linux
 * counts the idle time of the processors, in coarse steps that show a change late; and, exactly, the time that this
 * thread was ready to run and waited for a processor. Without these counters there is never pressure.
 *
 * Attack: accounts within their limits use all processors. Test: fair-queue.test.ts, “is there while its processors
 * have nothing left”.
 */
import { existsSync, openSync, readSync } from 'node:fs';

/** The sampling interval in milliseconds, and the idle share of the processors below which there is pressure. */
const sampleMs = 200;
const enoughIdle = 0.1;

/** For this thread's waits: the sampling interval, and the share of time above which pressure lasts for `sampleMs`. */
const wait = { sampleMs: 50, maxShare: 0.2 };

export type Pressure = () => boolean;

/** Samples when called, at most once in each interval. */
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
    if ((here - last) / ms > wait.maxShare) until = now() + sampleMs;
    return now() < until;
  });
  // No short circuit: both must sample.
  return () => [isBusy(), isWaiting()].includes(true);
}

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

/** The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. */
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

/** Returns the time that the main thread waited for a processor, in milliseconds; the file has nanoseconds. */
function openSchedStat(): (() => number) | undefined {
  const readLine = openLine(`/proc/self/task/${process.pid}/schedstat`);
  return readLine && (() => Number(readLine().split(' ')[1]) / 1e6);
}

const files = new Map<string, number>();

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
