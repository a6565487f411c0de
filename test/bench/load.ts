import type { Figures } from './case.ts';

export interface BenchLoad {
  senders: number;
  inFlight: number;
  timelines: number;
}

export const body = 'The quick brown fox jumps over the lazy dog, and says so.';

/** Sends one message; resolves when it is acknowledged. */
export type Say = (sender: number, timeline: number) => Promise<unknown>;

/** Each sender sends its next message once one is acknowledged, for `seconds` seconds. Waits are in milliseconds. */
export async function keepSaying(
  { senders, inFlight, timelines }: BenchLoad,
  say: Say,
  seconds: number,
  signal: AbortSignal,
): Promise<Figures> {
  const waits: number[] = [];
  const failures: unknown[] = [];
  const began = performance.now();
  const end = began + seconds * 1_000;
  const keepOn = async (line: number) => {
    for (let i = line; performance.now() < end && !signal.aborted; i += 1) {
      const asked = performance.now();
      try {
        await say(line % senders, i % timelines);
        waits.push(performance.now() - asked);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: senders * inFlight }, (_, line) => keepOn(line)));
  const took = (performance.now() - began) / 1_000;
  if (waits.length === 0 && failures.length > 0) throw failures[0];
  return {
    'acked/s': waits.length / took,
    'p50 ms': atPart(waits, 0.5),
    'p99 ms': atPart(waits, 0.99),
    failed: failures.length,
  };
}

/** Returns the quantile `part` of the figures. */
export function atPart(figures: number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
}
