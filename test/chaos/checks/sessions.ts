/** P6, second half: an ended session is closed within two seconds on any node, and can connect to none. */
import type { Finding } from '../findings.ts';
import type { Ended, History, Injection } from '../history.ts';

/** Milliseconds. */
const closeWithin = 2_000;

export interface SessionEnd {
  device: string;
  at: number;
  /** When its last connection was lost; undefined while it is open. */
  closed: number | undefined;
}

export const sessionEnds = ({ operations, turns }: History): SessionEnd[] =>
  operations.flatMap(({ device, answered, refused }) => {
    if (device === undefined || answered === undefined || refused !== undefined) return [];
    const last = turns.findLast(
      ({ who, what }) => who === device && (what === 'ready' || what === 'lost'),
    );
    return [{ device, at: answered, closed: last?.what === 'lost' ? last.at : undefined }];
  });

export const checkSessions = ({ history }: Ended): Finding[] =>
  sessionEnds(history).flatMap((end) => {
    const { device, at, closed = Infinity } = end;
    const deadline = deadlineOf(end, history.injections);
    if (deadline > history.settled) return [];
    const finding = (text: string): Finding => ({
      promise: 'P6',
      kind: 'after access ended',
      text: `${device} ${text}`,
      at,
    });
    const after = (when: number) => `${Math.round(when - at)} ms after its session had ended`;
    const received = history.deliveries.filter(({ who, at }) => who === device && at > deadline);
    return [
      ...(closed <= deadline ? [] : [finding(`was open ${after(closed)}`)]),
      ...received.map((one) => finding(`heard something ${after(one.at)}`)),
    ];
  });

/** A frozen node, or one without PostgreSQL and Redis, cannot notice the end before the fault is healed. */
function deadlineOf({ at }: SessionEnd, injections: Injection[]): number {
  const ends = injections
    .filter(({ injected, mended }) => injected < at + closeWithin && at < mended)
    .filter(({ fired }) => isBlinding(Object.keys(fired)))
    .map(({ mended, healed = mended }) => healed);
  return Math.max(at, ...ends) + closeWithin;
}

const isBlinding = (faults: string[]) => {
  const hits = (part: string) => faults.some((name) => name.startsWith(part));
  return hits('node frozen') || (hits('PostgreSQL') && hits('Redis'));
};
