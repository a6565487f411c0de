/** The functions of features that the realtime core needs, without importing them: to read rooms and check rights. */
import type { Change, Row } from '../../shared/changes.ts';
import type { Counts } from '../../shared/members.ts';
import type { People } from '../../shared/people.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import type { Activity, Positions } from '../../shared/reads.ts';
import type { RoomKind, roomSlices } from '../../shared/rooms.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import type { AccessVersion } from './node-messages.ts';
import type { Subscriber } from './chat-socket.ts';

export interface RoomFeatures {
  /** The rooms among `ids` that the caller can enter, each with the scope whose revocations concern it, if any. */
  authorize: Record<
    RoomKind | 'activity',
    (db: Db, subscriber: Subscriber, ids: string[]) => Promise<Map<string, string | undefined>>
  >;
  /** Reads each slice of each kind of room: a page by keys, or all rows of a slice that is always small. */
  loadSlice: { [K in RoomKind]: SliceLoaders<K> };
  people: {
    /** Returns the existing people among `ids`, and the owners of the bots among them. */
    find(db: Db, ids: Iterable<string>): Promise<People>;
    /** Returns the people that rows or changes name, also in the text of messages. */
    mentioned<T extends Change | Row>(
      db: Db,
      things: T[],
      personIds: (thing: T) => string[],
    ): Promise<People>;
  };
  /** Only for kinds of rooms that can list the changes since a version; the others send a snapshot. */
  changesSince: Partial<
    Record<RoomKind, (db: Db, id: string, since: number) => Promise<Change[] | 'too many'>>
  >;
  /** Data of a reply beside the room's state (presence, counts). Evaluated when the reply is sent. */
  ephemeral: Partial<
    Record<
      RoomKind,
      (
        db: Db,
        id: string,
        /** `version`: the room's current version, if known. `among`: limits the presence to these people. */
        of?: { version?: number; among?: string[] | undefined },
      ) => Promise<() => { presence: PresenceMap; presenceVersion: number; counts?: Counts }>
    >
  >;
  activity: {
    /** The access versions of a person's servers, read together with the memberships. */
    accessVersionsOf(db: Db, userId: string): Promise<AccessVersion[]>;
    saidSince(
      db: Db,
      userId: string,
      positions: Positions,
    ): Promise<[timelineId: string, activity: Activity][]>;
    /** The people in a conversation or private channel; of a channel that became public, those with unread messages. */
    audience: Record<'channel' | 'conversation', (db: Db, id: string) => Promise<string[]>>;
  };
}

type SliceLoaders<K extends RoomKind> = {
  [S in (typeof roomSlices)[K][number]]: (db: Db, id: string, page: Page) => Promise<Row<S>[]>;
};
