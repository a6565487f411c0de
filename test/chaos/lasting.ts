/** Excuses acknowledged operations that a failover lost because the standby lacked them, and no others. */
import type { AnsweredMessage, Ended, Failover, Operation, Stored } from './history.ts';

/** The history without operations lost in failovers, for comparison with the final database. */
export function lastingPart(ended: Ended): Ended {
  const { failovers, operations } = ended.history;
  if (failovers.length === 0) return ended;
  const survives = surviving(failovers);
  const lasting = operations
    .filter((one) => !isLost(one, survives) && !isInDoubt(one, failovers))
    .map((one) => ({ ...one, answers: one.answers.filter(survives) }));
  return { ...ended, history: { ...ended.history, operations: lasting } };
}

export function lostOperations({ failovers, operations }: Ended['history']): Operation[] {
  const survives = surviving(failovers);
  return operations.filter((one) => isLost(one, survives));
}

const isLost = ({ answers }: Operation, survives: (answer: AnsweredMessage) => boolean) =>
  answers.length > 0 && !answers.some(survives);

/** True for an answer that every standby promoted since then had. */
function surviving(failovers: Failover[]): (answer: AnsweredMessage) => boolean {
  const kept = failovers.map(({ kept }) => rowsOf(kept));
  return ({ id, version, life }) =>
    kept.slice(life).every((rows) => (rows.get(id)?.version ?? 0) >= version);
}

export const rowsOf = ({ timelines }: Stored) =>
  new Map(timelines.flatMap(({ messages }) => messages.map((row) => [row.id, row] as const)));

/**
 * Answers about members and sessions have no version, so it is unknown whether the standby had them. A join is not in
 * doubt: the account rightly received changes until the failover.
 */
const isInDoubt = ({ deed, messageId, answered = Infinity }: Operation, failovers: Failover[]) =>
  messageId === undefined &&
  deed !== 'join' &&
  failovers.some(({ lagging, at }) => answered > lagging && answered < at);
