import type { Crowd } from './door.ts';
import type { Place } from './place.ts';

/** What one measurement found, by column. Ratios are those of the first column. */
export type Figures = Record<string, number>;

/** One thing that is measured. */
export interface Case {
  /** Cases with the same heading stand together, and those that can be compared have the same columns. */
  heading: string;
  name: string;
  /** The others of its heading are told as multiples of this one. */
  isBaseline?: boolean;
  measure(place: Place, seconds: number, signal: AbortSignal): Promise<Figures>;
}

/** Cases that are measured by turns, with the same crowd. A new one is a function, named in test/bench/bench.ts. */
export interface Act {
  /** How many are in the crowd, and what all of them join. */
  people: number;
  channels: string[];
  casesWith: (crowd: Crowd) => Case[];
}
