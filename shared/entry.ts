/** Entering a room: one type of answer for `ready`, server:open, channel:join and all others. */
import { z } from 'zod';
import type { Change, Row } from './changes.ts';
import { RoomName, Version } from './contract.ts';
import { Counts } from './members.ts';
import { People } from './people.ts';
import { PresenceMap, PresenceVersion } from './presence.ts';
import type { Room, RoomKind, roomSlices } from './rooms.ts';

/** The last row of a part of a snapshot: its slice and its key, which is an id or the name of a sidebar list. */
export const PartEnd = z
  .string()
  .regex(
    /^([A-Za-z]{1,20}:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|sidebarLists:[a-z]{1,20})$/,
    'This isn’t a valid cursor.',
  );

export type RoomState<K extends RoomKind = RoomKind> = K extends RoomKind
  ? { [S in (typeof roomSlices)[K][number]]: Row<S>[] }
  : never;

/**
 * A snapshot that exceeds one answer comes in parts. `more` names the last row of a part; a request with it as `after`
 * returns the next part. The parts have the version of the first. Together with the changes since then they make the
 * state: the newest version of each row wins.
 *
 * `presence` accompanies the state of a server, and `counts` that of a large one; they are not room state. A presence
 * event that arrives after the request counts if its `version` is at least `presenceVersion`, or if `presence` does not
 * name the person, who can have joined since the state was read.
 */
export type Entry<K extends RoomKind = RoomKind> =
  | {
      status: 'snapshot';
      room: Room;
      version: number;
      state: RoomState<K>;
      people: People;
      /** The `more` of the part before this one. */
      after?: string;
      more?: string;
      presence?: PresenceMap;
      presenceVersion?: number;
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
      presenceVersion?: number;
      counts?: Counts;
    }
  | {
      status: 'current';
      room: Room;
      version: number;
      presence?: PresenceMap;
      presenceVersion?: number;
      counts?: Counts;
    }
  | { status: 'gone'; room: Room };

/** `later`: the room did not fit the answer of `sync`. Request it again at once. */
export type SyncEntry = Entry | { status: 'later'; room: Room };

// Loose, because the schemas of rows and changes (changes.ts) would make an import cycle here.
export const State = z.record(z.string(), z.array(z.looseObject({ version: Version })));
export const AnyChange = z.looseObject({ type: z.string(), version: Version });
const beside = {
  presence: PresenceMap.optional(),
  presenceVersion: PresenceVersion.optional(),
  counts: Counts.optional(),
};

export const Snapshot = z.strictObject({
  status: z.literal('snapshot'),
  room: RoomName,
  version: Version,
  state: State,
  people: People,
  after: PartEnd.optional(),
  more: PartEnd.optional(),
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

export const entryOf = <K extends RoomKind>() => AnyEntry as unknown as z.ZodType<Entry<K>>;
