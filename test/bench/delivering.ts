import { setImmediate as nextTurn } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Change } from '../../shared/changes.ts';
import type { Message } from '../../shared/messages.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import type { Context } from '../../server/caller.ts';
import { writerOn } from '../../server/messages/node-writer.ts';
import type { Act, Case, Figures } from './case.ts';
import type { Audience } from './load-process.ts';
import { frameOf, writeToAll } from './frames.ts';
import { body } from './load.ts';
import type { BenchPlace } from './place.ts';

export const deliveringLegend =
  'Delivering: messages at members for a second of the server’s own CPU; members are real clients in another\n' +
  'process. “bare” writes a prepared WebSocket frame to each connection when a message comes, which is the least\n' +
  'that a server without batches can do; “in one turn” leaves it to Node to gather what it can. “publish”\n' +
  'begins after the commit. From saying to hearing, the wait is mostly that of the clients, who share a core.';

/** All members are in both. `receiving` receives published changes that are not written, so it has its own versions. */
interface Channels {
  receiving: string;
  written: string;
}

type Tick = (place: BenchPlace, channels: Channels, messages: number) => Promise<unknown>;

const ways: (Pick<Case, 'name' | 'isBaseline'> & { tick: Tick })[] = [
  {
    name: 'publish',
    tick: ({ node, db, people }, { receiving }, messages) =>
      publish({ node, db }, receiving, (known) =>
        newMessages(people[0]?.id ?? '', receiving, known, messages),
      ),
  },
  {
    name: 'write, commit and publish',
    tick: ({ node, people }, { written: timelineId }, messages) =>
      Promise.all(
        people
          .slice(0, messages)
          .map((user) => writerOn(node).write({ do: 'send', user, timelineId, id: v7(), body })),
      ),
  },
  {
    name: 'a frame each, bare',
    isBaseline: true,
    async tick(place, { receiving }, messages) {
      const frame = frameOfOne(place, receiving);
      for (let i = 0; i < messages; i += 1) {
        writeToAll(place, timelineRoom(receiving), frame);
        await nextTurn();
      }
    },
  },
  {
    name: 'a frame each, in one turn',
    async tick(place, { receiving }, messages) {
      const frame = frameOfOne(place, receiving);
      for (let i = 0; i < messages; i += 1) writeToAll(place, timelineRoom(receiving), frame);
      await nextTurn();
    },
  },
];

export async function publish(
  context: Context,
  timelineId: string,
  changes: (known: number) => RoomChanges,
): Promise<void> {
  const known = context.node.versions.of(timelineRoom(timelineId)) ?? 0;
  context.node.fanout.publish({ envelopes: [changes(known)] });
  // The packet is sent at the end of this turn of the event loop, or of the next.
  await nextTurn();
  await nextTurn();
}

const frameOfOne = ({ people }: BenchPlace, timelineId: string) =>
  frameOf(`42${JSON.stringify(['changes', newMessages(people[0]?.id ?? '', timelineId, 0, 1)])}`);

/** Builds changes as a flush does, with the extensions in `more`. */
export function newMessages(
  authorId: string,
  timelineId: string,
  from: number,
  count: number,
  more: Partial<Message> = {},
): RoomChanges {
  const createdAt = new Date().toISOString();
  const changes = Array.from({ length: count }, (_, i): Change => {
    const [position, version] = [from + i + 1, from + i + 1];
    const message = { id: v7(), timelineId, authorId, position, version, body, createdAt, ...more };
    return { type: 'message:created', version, message };
  });
  const people = { [authorId]: { id: authorId, name: 'Person 0', kind: 'guest' as const, rev: 1 } };
  return { room: timelineRoom(timelineId), from, to: from + count, changes, people };
}

/** Deliveries under way at a time: few enough that the server never waits for a slow client. */
const underWay = 5_000;

export function delivering(members: number, { timelineIds }: BenchPlace): Act {
  const [receiving = '', written = ''] = timelineIds.slice(-2);
  const channels = { receiving, written };
  return {
    people: members,
    channels: [receiving, written],
    casesWith: (crowd) => [
      ...deliveringCases(members, crowd, channels),
      ...latencyCases(members, crowd, channels),
    ],
  };
}

const deliveringCases = (members: number, crowd: Audience, channels: Channels): Case[] =>
  [1, 5, 20].flatMap((messages) =>
    ways.map(({ tick, ...way }): Case => ({
      heading: `${members} members, ${messages === 1 ? 'one message' : `${messages} messages`} a tick`,
      ...way,
      async measure(place, seconds, signal): Promise<Figures> {
        const each = await costOf({ members, messages }, { crowd, seconds, signal }, () =>
          tick(place, channels, messages),
        );
        return { 'per CPU-s': 1_000_000 / each, 'CPU µs each': each };
      },
    })),
  );

/** Repeats `tick` for `seconds` seconds. Returns the server’s own CPU per message and member, in microseconds. */
export async function costOf(
  { members, messages }: { members: number; messages: number },
  { crowd, seconds, signal }: { crowd: Audience; seconds: number; signal: AbortSignal },
  tick: () => Promise<unknown>,
): Promise<number> {
  const ticks = Math.ceil(underWay / (members * messages));
  const end = performance.now() + seconds * 1_000;
  let deliveries = 0;
  const before = process.cpuUsage();
  while (performance.now() < end && !signal.aborted) {
    const received = crowd.receive(ticks * messages * members);
    for (let i = 0; i < ticks; i += 1) await tick();
    await received;
    deliveries += ticks * messages * members;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / deliveries;
}

const latencyCases = (
  members: number,
  crowd: Audience,
  { written: timelineId }: Channels,
): Case[] =>
  [10, 100].map((perSecond) => ({
    heading: `${members} members, from saying to hearing`,
    name: `${perSecond} messages a second`,
    measure: (_place, seconds) => crowd.converse({ timelineId, perSecond }, seconds),
  }));
