import type { Place } from './place.ts';

/** What one measurement found, by column. Ratios are those of the first column. */
export type Figures = Record<string, number>;

/** One thing that is measured. A new one is a file with such functions, named in scripts/bench.ts. */
export interface Case {
  /** Cases with the same heading stand together, and those that can be compared have the same columns. */
  heading: string;
  name: string;
  /** The others of its heading are told as multiples of this one. */
  isBaseline?: boolean;
  measure(place: Place, seconds: number, signal: AbortSignal): Promise<Figures>;
}
