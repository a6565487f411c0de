/** Counts how often a person uses each emoji, and picks the reactions to offer. Pure. */
import type { Tone } from './tones.ts';

export interface Habits {
  /** Latest first. */
  recent: readonly string[];
  tone: Tone;
  counts: Readonly<Record<string, number>>;
  /** The reactions that are offered. They change at most once a day, because a button that moves is easily missed. */
  quick: readonly string[];
  day: string;
}

export const maxRecent = 24;
export const usualSigns: readonly string[] = ['👍', '❤️', '😂'];

export function withUse(habits: Habits, sign: string, day: string): Habits {
  const recent = [sign, ...habits.recent.filter((one) => one !== sign)].slice(0, maxRecent);
  const uses = (one: string) => (habits.counts[one] ?? 0) + (one === sign ? 1 : 0);
  const counts = Object.fromEntries(recent.map((one) => [one, uses(one)]));
  const quick = day === habits.day ? habits.quick : frequent(counts);
  return { ...habits, recent, counts, quick, day };
}

const frequent = (counts: Habits['counts']): string[] =>
  [...new Set([...Object.keys(counts), ...usualSigns])]
    .sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0))
    .slice(0, usualSigns.length);
