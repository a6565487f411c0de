/**
 * After a failover the database’s address leads to another primary, while connections to the former one still answer.
 * Only a new connection reveals that. So one is opened regularly, and the others are trusted as long as that succeeds.
 * It is closed at once: using it in place of another would make PostgreSQL prepare all statements again.
 */

/** Milliseconds: between two new connections, and until the others are no longer used if none opens. */
const intervalMs = { between: 4_000, without: 10_000 };

export interface Renewal {
  /** A new connection was opened and leads to the right database. */
  made(): void;
  /** False if a connection is not trusted; a new one then replaces it. */
  canUse(): boolean;
}

/** @param tryOne opens a new connection and closes it */
export function openRenewal(tryOne: () => void, now = () => performance.now()): Renewal {
  let [madeAt, triedAt] = [-Infinity, -Infinity];
  return {
    made() {
      madeAt = now();
    },
    canUse() {
      if (now() - madeAt > intervalMs.without) return false;
      if (now() - Math.max(madeAt, triedAt) < intervalMs.between) return true;
      triedAt = now();
      tryOne();
      return true;
    },
  };
}
