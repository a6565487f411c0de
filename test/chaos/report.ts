import { sessionEnds } from './checks/sessions.ts';
import type { Finding, FindingKind } from './findings.ts';
import type { History, Injection } from './history.ts';
import { lostOperations } from './lasting.ts';

export interface InjectionOutcome extends Omit<Injection, 'injected' | 'mended' | 'healed'> {
  seed: number;
  seconds: number;
  /** Seconds from the repair until all clients had caught up. */
  heal?: number;
  underWay: number;
  operations: number;
  acknowledged: number;
  /** Seconds until each ended session was closed; sessions that stayed open are left out. */
  closings: number[];
  findings: Partial<Record<FindingKind, number>>;
}

export interface ChaosReport {
  seed: number;
  operations: number;
  acknowledged: number;
  refused: number;
  deliveries: number;
  /** Acknowledged operations that were lost because an asynchronous standby lacked them. */
  lostWithStandby?: number;
  outcomes: InjectionOutcome[];
  findings: Finding[];
}

/** Counts findings without a time with the last injection. */
export function chaosReportOf(history: History, findings: Finding[]): ChaosReport {
  const { seed, injections, operations } = history;
  const ends = sessionEnds(history);
  const isDone = (one: (typeof operations)[0]) =>
    one.answered !== undefined && one.refused === undefined;
  return {
    seed,
    operations: operations.length,
    acknowledged: operations.filter(isDone).length,
    refused: operations.filter(({ refused }) => refused !== undefined).length,
    deliveries: history.deliveries.reduce((sum, { changes }) => sum + changes.length, 0),
    lostWithStandby: lostOperations(history).length,
    outcomes: injections.map(({ injected, mended, healed, fired, quietly }, i) => {
      const next = injections[i + 1]?.injected ?? Infinity;
      const during = operations.filter(({ asked }) => asked >= injected && asked < next);
      const found = findings.filter(
        ({ at = Infinity }) => at >= injected && (at < next || next === Infinity),
      );
      return {
        ...{ seed, fired, quietly },
        seconds: (mended - injected) / 1_000,
        ...(healed !== undefined && { heal: (healed - mended) / 1_000 }),
        underWay: operations.filter(
          ({ asked, answered = Infinity }) => asked < mended && answered > injected,
        ).length,
        operations: during.length,
        acknowledged: during.filter(isDone).length,
        closings: ends
          .filter(({ at }) => at >= injected && at < next)
          .flatMap(({ at, closed }) =>
            closed === undefined ? [] : [Math.max(0, closed - at) / 1_000],
          ),
        findings: counted(found),
      };
    }),
    findings,
  };
}

const counted = (findings: Finding[]): Partial<Record<FindingKind, number>> => {
  const counts: Partial<Record<FindingKind, number>> = {};
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

/** True without findings, if every fault fired while operations were in flight. */
export const isRunKept = ({ findings, outcomes }: ChaosReport): boolean =>
  findings.length === 0 && outcomes.every(wasHit);

const wasHit = ({ underWay, fired }: InjectionOutcome): boolean =>
  underWay > 0 && Object.values(fired).every((times) => times > 0);
