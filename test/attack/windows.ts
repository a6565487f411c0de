/** The waits of honest people, in alternating windows of quiet and attack, so that a ratio compares one run. */
import type { History } from '../chaos/history.ts';

export interface Window {
  kind: 'quiet' | 'attack';
  /** Milliseconds since the run began. */
  from: number;
  to: number;
}

/** How long an operation took that began at `at`, in milliseconds. */
export interface Sample {
  at: number;
  took: number;
}

export interface LatencyReport {
  what: string;
  samples: Record<Window['kind'], number>;
  /** Medians over the windows, in milliseconds. */
  median: Record<Window['kind'], number>;
  p99: Record<Window['kind'], number>;
  /** The p99 under attack, divided by that in quiet. */
  ratio: number;
}

export const answersOf = ({ operations }: History): Sample[] =>
  operations
    .filter(({ deed }) => deed === 'send')
    .map(({ asked, answered = Infinity }) => ({ at: asked, took: answered - asked }));

/** Waits from a send until each other person has the message; later edits do not count. */
export function deliveriesOf({ operations, deliveries }: History): Sample[] {
  const asked = new Map(
    operations.flatMap(({ deed, messageId, answers: [answer], asked }) =>
      deed === 'send' && answer ? [[`${messageId} ${answer.version}`, asked] as const] : [],
    ),
  );
  return deliveries.flatMap(({ changes, at: receivedAt }) =>
    changes.flatMap(({ messageId, version }) => {
      const at = asked.get(`${messageId} ${version}`);
      return at === undefined ? [] : [{ at, took: receivedAt - at }];
    }),
  );
}

export function latencyIn(
  what: string,
  samples: readonly Sample[],
  windows: readonly Window[],
): LatencyReport {
  const of = (kind: Window['kind']) =>
    windows
      .filter((window) => window.kind === kind)
      .map(({ from, to }) =>
        samples.filter(({ at }) => at >= from && at < to).map(({ took }) => took),
      )
      .filter((took) => took.length > 0);
  const both = <T>(measure: (windows: number[][]) => T) => ({
    quiet: measure(of('quiet')),
    attack: measure(of('attack')),
  });
  const share = (part: number) => (all: number[][]) =>
    quantile(
      all.map((took) => quantile(took, part)),
      0.5,
    );
  const p99 = both(share(0.99));
  return {
    what,
    samples: both((all) => all.flat().length),
    median: both(share(0.5)),
    p99,
    ratio: p99.attack / p99.quiet,
  };
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
