/** Entering a room: one answer for `ready`, server:open, channel:join and all that follow. */
import { z } from 'zod';
import type { Change, Row } from './changes.ts';
import { Version } from './contract.ts';
import { Counts } from './members.ts';
import { People } from './people.ts';
import { PresenceMap } from './presence.ts';
import type { Room, RoomKind, roomSlices } from './rooms.ts';

/** All that a room is, at one version. */
export type RoomState<K extends RoomKind = RoomKind> = K extends RoomKind
  ? { [S in (typeof roomSlices)[K][number]]: Row<S>[] }
  : never;

/** `presence` stands beside the state of a server, and `counts` if that is large; they are not room state. */
export type Entry<K extends RoomKind = RoomKind> =
  | {
      status: 'snapshot';
      room: Room;
      version: number;
      state: RoomState<K>;
      people: People;
      presence?: PresenceMap;
      counts?: Counts;
    }
  | {
      status: 'changes';
      room: Room;
      version: number;
      from: number;
      changes: Change[];
      people: People;
      presence?: PresenceMap;
      counts?: Counts;
    }
  | { status: 'current'; room: Room; version: number; presence?: PresenceMap; counts?: Counts }
  | { status: 'gone'; room: Room };

/** In a `sync`, what no longer fits its answer: ask for these again, at once. */
export type SyncEntry = Entry | { status: 'later'; room: Room };

export const RoomName = z
  .templateLiteral([z.enum(['user', 'server', 'timeline']), ':', z.uuid()])
  .refine((room) => room === room.toLowerCase(), 'This is not a room.');
// Rows and changes have schemas of their own (changes.ts), which would make a circle here.
export const State = z.record(z.string(), z.array(z.looseObject({ version: Version })));
export const AnyChange = z.looseObject({ type: z.string(), version: Version });
const beside = { presence: PresenceMap.optional(), counts: Counts.optional() };

export const Snapshot = z.strictObject({
  status: z.literal('snapshot'),
  room: RoomName,
  version: Version,
  state: State,
  people: People,
  ...beside,
});

export const AnyEntry = z.discriminatedUnion('status', [
  Snapshot,
  z.strictObject({
    status: z.literal('changes'),
    room: RoomName,
    version: Version,
    from: Version,
    changes: z.array(AnyChange),
    people: People,
    ...beside,
  }),
  z.strictObject({ status: z.literal('current'), room: RoomName, version: Version, ...beside }),
  z.strictObject({ status: z.literal('gone'), room: RoomName }),
]);

export const AnySyncEntry = z.discriminatedUnion('status', [
  ...AnyEntry.options,
  z.strictObject({ status: z.literal('later'), room: RoomName }),
]) as unknown as z.ZodType<SyncEntry>;

/** The schema of an answer in which a room of kind K is entered. */
export const entryOf = <K extends RoomKind>() => AnyEntry as unknown as z.ZodType<Entry<K>>;
