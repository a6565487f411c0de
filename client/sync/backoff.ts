const firstCeiling = 3_000;
const lastCeiling = 30_000;

/**
 * The time before the next attempt, in milliseconds: 1–3 s at first, up to 10–30 s. It grows slowly, so that clients
 * notice a restart soon. It is random, so that a thousand clients of a restarted server do not connect at once.
 */
export function waitBefore(attempt: number, random = Math.random()): number {
  const ceiling = Math.min(lastCeiling, firstCeiling * 1.5 ** attempt);
  return ceiling / 3 + (random * ceiling * 2) / 3;
}
