/** The state that a fresh client receives of a room, requested without the client's driver, for comparison. */
import type { Row } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import {
  sliceKeys,
  splitRoom,
  type Room,
  type RoomKind,
  type SliceName,
} from '../../shared/rooms.ts';
import type { Person } from './person.ts';

/** The rows of each slice, by their keys. */
export type Rows = Record<string, Row[]>;

/** Reads a timeline from this position on. Returns undefined if the room does not exist for this person. */
export async function freshState(person: Person, room: Room, from = 1): Promise<Rows | undefined> {
  const { kind, id } = splitRoom(room);
  const entry = kind === 'user' ? person.ready : await ask(person, room).catch(() => undefined);
  if (entry?.status !== 'snapshot') return undefined;
  const state: Rows = { ...entry.state };
  for (let { more: rest } = entry; rest !== undefined;) {
    const part = await ask(person, room, rest);
    if (part.status !== 'snapshot') return undefined;
    for (const [name, rows] of Object.entries<Row[]>(part.state))
      state[name] = [...(state[name] ?? []), ...rows];
    rest = part.more;
  }
  if (state.messages) state.messages = await reachingBack(person, id, state.messages, from);
  return sorted(Object.entries(state));
}

export const sorted = (slices: (readonly [string, Row[]])[]): Rows =>
  Object.fromEntries(
    slices.map(([name, rows]) => [
      name,
      rows
        .map((row) => Object.fromEntries(Object.entries(row).sort()) as unknown as Row)
        .sort((a, b) => keyOf(name as SliceName, a).localeCompare(keyOf(name as SliceName, b))),
    ]),
  );

export const firstPosition = (rows: readonly Row[]) =>
  Math.min(...rows.map((row) => ('position' in row ? row.position : 0)));

async function reachingBack(
  person: Person,
  timelineId: string,
  newest: Row[],
  from: number,
): Promise<Row[]> {
  let rows = newest;
  while (rows.length > 0 && firstPosition(rows) > from) {
    const before = firstPosition(rows);
    const { messages } = await person.send('message:list', { timelineId, before, limit: 100 });
    rows = [...messages, ...rows];
  }
  return rows.filter((row) => 'position' in row && row.position >= from);
}

function ask(person: Person, room: Room, rest?: string): Promise<Entry> {
  const { kind, id } = splitRoom(room);
  const ways: Record<RoomKind, () => Promise<Entry>> = {
    user: async () => {
      const { epoch } = person.ready;
      const after = rest === undefined ? {} : { [room]: rest };
      const [entry] = (await person.send('sync', { epoch, rooms: { [room]: 0 }, after })).rooms;
      return entry === undefined || entry.status === 'later' ? { status: 'gone', room } : entry;
    },
    server: () => person.send('server:open', { serverId: id, after: rest }),
    timeline: () =>
      person
        .send('channel:join', { channelId: id })
        .catch(() => person.send('conversation:open', { conversationId: id })),
  };
  return ways[kind]();
}

const keyOf = (slice: SliceName, row: Row) =>
  (row as unknown as Record<string, string>)[sliceKeys[slice]] ?? '';
