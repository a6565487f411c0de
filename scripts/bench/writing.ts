/** How many messages are made durable: by the writer, and by a transaction for each. */
import { v7 } from 'uuid';
import { flush } from '../../server/messages/flush.ts';
import { writeAlone } from './baseline.ts';
import type { Place } from './place.ts';

/** Says one thing in a timeline; resolves when it is durable. */
type Say = (place: Place, sender: number, timelineId: string) => Promise<unknown>;

const body = 'The quick brown fox jumps over the lazy dog, and says so.';

const byWriter: Say = ({ app, people }, sender, timelineId) => {
  const user = people[sender];
  if (user === undefined) throw new Error('nobody');
  return app.writer.write({ do: 'send', user, timelineId, id: v7(), body });
};

/** The writer's own work, with all of its guarantees, but for one message at a time. */
const oneByOne: Say = ({ app, people }, sender, timelineId) => {
  const user = people[sender];
  if (user === undefined) throw new Error('nobody');
  return flush(app, [{ do: 'send', user, timelineId, id: v7(), body }]);
};

const byHand: Say = ({ app, people }, sender, timelineId) =>
  writeAlone(app.db, { id: v7(), timelineId, authorId: people[sender]?.id ?? '', body });

export interface Case {
  name: string;
  timelines: number;
  say: Say;
}

export const cases: Case[] = [
  { name: 'group commit', timelines: 1, say: byWriter },
  { name: 'a transaction each', timelines: 1, say: oneByOne },
  { name: 'a transaction each, bare', timelines: 1, say: byHand },
  { name: 'group commit', timelines: 100, say: byWriter },
  { name: 'a transaction each', timelines: 100, say: oneByOne },
  { name: 'a transaction each, bare', timelines: 100, say: byHand },
];

export interface Figures {
  perSecond: number;
  /** Milliseconds from saying to durable. */
  p50: number;
  p99: number;
}

/** Every sender says the next as soon as the last is durable, for so long. */
export async function measure(
  place: Place,
  { say, timelines }: Case,
  { senders, seconds }: { senders: number; seconds: number },
): Promise<Figures> {
  const waits: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1_000;
  await Promise.all(
    Array.from({ length: senders }, async (_, sender) => {
      for (let i = 0; performance.now() < end; i += 1) {
        const asked = performance.now();
        await say(place, sender, place.timelineIds[(sender + i) % timelines] ?? '');
        waits.push(performance.now() - asked);
      }
    }),
  );
  const took = (performance.now() - began) / 1_000;
  waits.sort((a, b) => a - b);
  const at = (part: number) => waits[Math.floor(waits.length * part)] ?? 0;
  return { perSecond: waits.length / took, p50: at(0.5), p99: at(0.99) };
}
