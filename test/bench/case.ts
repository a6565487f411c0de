import type { Audience } from './load-process.ts';
import type { BenchPlace } from './place.ts';

export type Figures = Record<string, number>;

export interface Case {
  /** Cases with the same heading form one block. Cases that are compared have the same columns. */
  heading: string;
  name: string;
  /** The other cases of the heading are shown as multiples of this one. */
  isBaseline?: boolean;
  /** Measures a fresh start, so nothing is warmed up. */
  isCold?: boolean;
  measure(place: BenchPlace, seconds: number, signal: AbortSignal): Promise<Figures>;
}

export interface Act {
  /** The size of the crowd, and the channels that all of them join. */
  people: number;
  channels: string[];
  casesWith: (crowd: Audience) => Case[];
}
