import { readFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { used as usedBy, usedByFamily } from '../bench/cpu.ts';
import { quantile, type Window } from './windows.ts';

type Kind = Window['kind'];

interface Spent {
  kind: Kind;
  ms: number;
  /** Milliseconds of processor time. */
  used: Record<string, number>;
  /** The 99th percentile of event loop delays, in milliseconds. */
  late: Record<string, number>;
}

export interface Load {
  /** Cores used by each process and its children, averaged over all windows of a kind. */
  cores: Record<string, Record<Kind, number>>;
  /** The median over the windows, in milliseconds. */
  late: Record<string, Record<Kind, number>>;
}

export type Processes = Record<string, number | undefined>;

/** @param metrics the addresses where nodes report their delays since the last request */
export function watchLoad(processes: Processes, metrics: string[]) {
  const here = monitorEventLoopDelay({ resolution: 10 });
  here.enable();
  const spent: Spent[] = [];
  const readUsed = async () => {
    const used: Record<string, number> = {
      'honest people': (await usedBy([process.pid])) / 1_000,
    };
    for (const [name, pid] of Object.entries(processes))
      used[name] = (await usedByFamily(pid ?? 0)) / 1_000;
    const [busy, idle] = await readMachine();
    used['else on this machine'] = busy - sum(Object.values(used));
    used['nothing at all'] = idle;
    return used;
  };
  const readLate = async () => {
    const late: Record<string, number> = { 'honest people': here.percentile(99) / 1e6 };
    here.reset();
    for (const [i, url] of metrics.entries()) late[`node ${i + 1}`] = await latenessAt(url);
    return late;
  };
  return {
    async begin(kind: Kind): Promise<() => Promise<void>> {
      await readLate();
      const [before, began] = [await readUsed(), performance.now()];
      return async () => {
        const [after, ms] = [await readUsed(), performance.now() - began];
        const used: Spent['used'] = {};
        for (const [name, ms] of Object.entries(after)) used[name] = ms - (before[name] ?? 0);
        spent.push({ kind, ms, used, late: await readLate() });
      };
    },
    stop(): Load {
      here.disable();
      return {
        cores: byKind(
          spent,
          'used',
          (all) => sum(all.map(({ value }) => value)) / sum(all.map(({ ms }) => ms)),
        ),
        late: byKind(spent, 'late', (all) =>
          quantile(
            all.map(({ value }) => value),
            0.5,
          ),
        ),
      };
    },
  };
}

const sum = (values: number[]) => values.reduce((all, one) => all + one, 0);

function byKind(
  spent: Spent[],
  what: 'used' | 'late',
  measure: (all: { value: number; ms: number }[]) => number,
): Record<string, Record<Kind, number>> {
  const names = Object.keys(spent[0]?.[what] ?? {});
  const of = (name: string, kind: Kind) =>
    measure(
      spent
        .filter((one) => one.kind === kind)
        .map((one) => ({ value: one[what][name] ?? NaN, ms: one.ms })),
    );
  return Object.fromEntries(
    names.map((name) => [name, { quiet: of(name, 'quiet'), attack: of(name, 'attack') }]),
  );
}

/** The milliseconds in which the cores of this machine worked and were idle, as counted by Linux. */
async function readMachine(): Promise<[busy: number, idle: number]> {
  const [first = ''] = (await readFile('/proc/stat', 'utf8').catch(() => '')).split('\n');
  const [user = 0, nice = 0, system = 0, idle = 0, disk = 0, ...interrupts] = first
    .split(/\s+/)
    .slice(1, 9)
    .map((ticks) => Number(ticks) * 10);
  return [sum([user, nice, system, ...interrupts]), idle + disk];
}

async function latenessAt(url: string): Promise<number> {
  const text = await fetch(url).then(
    (response) => response.text(),
    () => '',
  );
  return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1]) * 1_000;
}
