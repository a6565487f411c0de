import type { Case, Figures } from './case.ts';
import type { BenchPlace } from './place.ts';

export type Results = Map<Case, Figures[]>;

export interface RoundPlan {
  rounds: number;
  seconds: number;
  signal: AbortSignal;
  say: (line: string) => void;
}

/**
 * Measures every case once in each round, so that other load on the machine affects all of them. Alternates the
 * direction of the rounds, so that no case always follows the one that leaves the most work behind.
 */
export async function measureAll(
  place: BenchPlace,
  cases: Case[],
  { rounds, seconds, signal, say }: RoundPlan,
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
