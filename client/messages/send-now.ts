import type { Timeline } from './timeline.svelte.ts';

/** Tries at once the messages that wait for a certain time, because that time may have changed. */
export function sendNow(timeline: Timeline): void {
  timeline.outbox = timeline.outbox.map((entry) => ({ ...entry, sendAgainAt: 0 }));
  void timeline.flush();
}
