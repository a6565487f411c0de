/** P6: a removed account receives no change that was requested, and so committed, after the removal. */
import type { Finding } from '../findings.ts';
import { groupBy } from '../grouped.ts';
import type { Ended, History } from '../history.ts';

export function checkAccess({ history, stored, holdings }: Ended): Finding[] {
  const askedAt = new Map<string, number>();
  for (const { messageId, body = '', asked, deed } of history.operations) {
    if (messageId === undefined) continue;
    const what = `${messageId} ${deed === 'delete' ? '' : body}`;
    askedAt.set(what, Math.min(asked, askedAt.get(what) ?? Infinity));
  }
  const userOf = new Map(holdings.map(({ who, userId }) => [who, userId]));
  const absences = groupBy(absencesIn(history), ({ userId }) => userId);
  const late = history.deliveries.flatMap(({ at, who, changes }): Finding[] => {
    const absence = (absences.get(userOf.get(who) ?? '') ?? []).find(
      ({ from, to }) => from < at && at < to,
    );
    if (absence === undefined) return [];
    const leaked = changes.filter(
      ({ messageId, body }) => (askedAt.get(`${messageId} ${body}`) ?? 0) > absence.from,
    );
    return leaked.map(({ body }) => ({
      promise: 'P6',
      kind: 'after access ended',
      text: `${who} heard “${body}” ${Math.round(at - absence.from)} ms after being out`,
      at,
    }));
  });
  return [...late, ...stillIn(history, stored.members)];
}

/** Each absence lasts from the answer to the removal or leave until the first request to join again. */
function absencesIn({ operations }: History): { userId: string; from: number; to: number }[] {
  const moves = operations.filter(
    ({ deed }) => !['send', 'edit', 'delete', 'end session'].includes(deed),
  );
  return [...groupBy(moves, ({ userId }) => userId)].flatMap(([userId, mine]) =>
    mine.flatMap((move, i) => {
      const { deed, answered, refused } = move;
      if (deed === 'join' || answered === undefined || refused !== undefined) return [];
      // After a join with several attempts, a late attempt can let the account in again.
      if (mine.slice(0, i).some((one) => one.deed === 'join' && one.attempts > 1)) return [];
      const back = mine.slice(i + 1).find((one) => one.deed === 'join');
      return [{ userId, from: answered, to: back?.asked ?? Infinity }];
    }),
  );
}

function stillIn(history: History, members: Record<string, string>): Finding[] {
  return absencesIn(history).flatMap(({ userId, to }): Finding[] =>
    to === Infinity && userId in members
      ? [
          {
            promise: 'P6',
            kind: 'after access ended',
            text: `${userId} was put out, and is a member`,
          },
        ]
      : [],
  );
}
