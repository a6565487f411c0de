import type { Case, Figures } from './case.ts';
import type { BenchPlace } from './place.ts';

/** What each round found of a case, the first round first. */
export type Results = Map<Case, Figures[]>;

export interface Course {
  rounds: number;
  seconds: number;
  signal: AbortSignal;
  say: (line: string) => void;
}

/**
 * Measures every case once in each round, so that whatever else the machine does hits all of them; forwards
 * and backwards by turns, so that none always comes after the one that left the most behind.
 */
export async function measureAll(
  place: BenchPlace,
  cases: Case[],
  { rounds, seconds, signal, say }: Course,
): Promise<Results> {
  const results: Results = new Map(cases.map((one) => [one, []]));
  const warm = cases.filter(({ isCold }) => isCold !== true);
  say(`warming up: ${warm.length} cases, a second each`);
  for (const one of warm) await one.measure(place, 1, signal);
  for (let round = 1; round <= rounds; round += 1) {
    for (const one of round % 2 === 1 ? cases : cases.toReversed()) {
      const figures = await one.measure(place, seconds, signal);
      signal.throwIfAborted();
      results.get(one)?.push(figures);
      const [[column, figure] = ['', 0]] = Object.entries(figures);
      say(`round ${round}/${rounds}  ${one.heading}: ${one.name}: ${figure.toFixed(0)} ${column}`);
    }
  }
  return results;
}
