/** What was acknowledged before a failover, and is lost: that which the standby lacked. Nothing else is excused. */
import type { AnsweredMessage, Ended, Failover, Operation, Stored } from './history.ts';

/** The history without what was lost with a standby, to be judged by what is stored in the end. */
export function lastingPart(ended: Ended): Ended {
  const { failovers, operations } = ended.history;
  if (failovers.length === 0) return ended;
  const survives = surviving(failovers);
  const lasting = operations
    .filter((one) => !isLost(one, survives) && !isInDoubt(one, failovers))
    .map((one) => ({ ...one, answers: one.answers.filter(survives) }));
  return { ...ended, history: { ...ended.history, operations: lasting } };
}

/** Acknowledged, and lost with a standby. */
export function lostOperations({ failovers, operations }: Ended['history']): Operation[] {
  const survives = surviving(failovers);
  return operations.filter((one) => isLost(one, survives));
}

const isLost = ({ answers }: Operation, survives: (answer: AnsweredMessage) => boolean) =>
  answers.length > 0 && !answers.some(survives);

/** Whether every standby that was promoted since had what was acknowledged. */
function surviving(failovers: Failover[]): (answer: AnsweredMessage) => boolean {
  const kept = failovers.map(({ kept }) => rowsOf(kept));
  return ({ id, version, life }) =>
    kept.slice(life).every((rows) => (rows.get(id)?.version ?? 0) >= version);
}

export const rowsOf = ({ timelines }: Stored) =>
  new Map(timelines.flatMap(({ messages }) => messages.map((row) => [row.id, row] as const)));

/**
 * Answers about people and sessions have no version that would tell whether the standby had it. Who came back was
 * rightly told of things until then.
 */
const isInDoubt = ({ deed, messageId, answered = Infinity }: Operation, failovers: Failover[]) =>
  messageId === undefined &&
  deed !== 'join' &&
  failovers.some(({ lagging, at }) => answered > lagging && answered < at);
