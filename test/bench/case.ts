import type { Audience } from './load-process.ts';
import type { BenchPlace } from './place.ts';

/** What one measurement found, by column. Ratios are those of the first column. */
export type Figures = Record<string, number>;

/** One thing that is measured. */
export interface Case {
  /** Cases with the same heading stand together, and those that can be compared have the same columns. */
  heading: string;
  name: string;
  /** The others of its heading are told as multiples of this one. */
  isBaseline?: boolean;
  /** It is about what has just started: nothing warms up for it. */
  isCold?: boolean;
  measure(place: BenchPlace, seconds: number, signal: AbortSignal): Promise<Figures>;
}

/** Cases that are measured by turns, with the same crowd. A new one is a function, named in test/bench/bench.ts. */
export interface Act {
  /** How many are in the crowd, and what all of them join. */
  people: number;
  channels: string[];
  casesWith: (crowd: Audience) => Case[];
}
