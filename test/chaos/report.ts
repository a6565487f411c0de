/** The end of it in figures: each fault, what was under way when it struck, and what became of the promises. */
import { sessionEnds } from './checks/sessions.ts';
import type { Finding, Kind } from './findings.ts';
import type { History, Strike } from './history.ts';
import { lostOperations } from './lasting.ts';

/** One strike as it came out. It can be kept as JSON. */
export interface Outcome extends Omit<Strike, 'struck' | 'mended' | 'healed'> {
  seed: number;
  seconds: number;
  /** Seconds from the mending until everybody had everything. */
  heal?: number;
  underWay: number;
  operations: number;
  acknowledged: number;
  /** How long ended sessions stayed open that were closed, in seconds. */
  closings: number[];
  findings: Partial<Record<Kind, number>>;
}

export interface Report {
  seed: number;
  operations: number;
  acknowledged: number;
  refused: number;
  deliveries: number;
  /** Acknowledged, and lost with an asynchronous standby that lacked it. */
  lostWithStandby?: number;
  outcomes: Outcome[];
  findings: Finding[];
}

/** What is found without a time is counted with the last strike. */
export function reportOf(history: History, findings: Finding[]): Report {
  const { seed, strikes, operations } = history;
  const ends = sessionEnds(history);
  const isDone = (one: (typeof operations)[0]) =>
    one.answered !== undefined && one.refused === undefined;
  return {
    seed,
    operations: operations.length,
    acknowledged: operations.filter(isDone).length,
    refused: operations.filter(({ refused }) => refused !== undefined).length,
    deliveries: history.hearings.reduce((sum, { told }) => sum + told.length, 0),
    lostWithStandby: lostOperations(history).length,
    outcomes: strikes.map(({ struck, mended, healed, fired, quietly }, i) => {
      const next = strikes[i + 1]?.struck ?? Infinity;
      const during = operations.filter(({ asked }) => asked >= struck && asked < next);
      const found = findings.filter(
        ({ at = Infinity }) => at >= struck && (at < next || next === Infinity),
      );
      return {
        ...{ seed, fired, quietly },
        seconds: (mended - struck) / 1_000,
        ...(healed !== undefined && { heal: (healed - mended) / 1_000 }),
        underWay: operations.filter(
          ({ asked, answered = Infinity }) => asked < mended && answered > struck,
        ).length,
        operations: during.length,
        acknowledged: during.filter(isDone).length,
        closings: ends
          .filter(({ at }) => at >= struck && at < next)
          .flatMap(({ at, closed }) =>
            closed === undefined ? [] : [Math.max(0, closed - at) / 1_000],
          ),
        findings: counted(found),
      };
    }),
    findings,
  };
}

const counted = (findings: Finding[]): Partial<Record<Kind, number>> => {
  const counts: Partial<Record<Kind, number>> = {};
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

/** Whether everything was kept, and every fault that was meant to strike did so while something was under way. */
export const isKept = ({ findings, outcomes }: Report): boolean =>
  findings.length === 0 && outcomes.every(didStrike);

const didStrike = ({ underWay, fired }: Outcome): boolean =>
  underWay > 0 && Object.values(fired).every((times) => times > 0);
