/** What features give to the realtime core, which knows none of them by name: how rooms are read, and who may enter. */
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
  /** Which of these rooms the caller may enter, each with the scope whose revocations concern it, if there is one. */
  authorize: Record<
    RoomKind | 'activity',
    (db: Db, subscriber: Subscriber, ids: string[]) => Promise<Map<string, string | undefined>>
  >;
  /** How each slice of each kind of room is read: a page of it by its keys, or all rows where there are never many. */
  loadSlice: { [K in RoomKind]: SliceLoaders<K> };
  people: {
    /** Finds these people, as far as they exist, and the owners of the bots among them. */
    find(db: Db, ids: Iterable<string>): Promise<People>;
    /** Finds the people whom rows or changes name, also in the text of messages. */
    mentioned<T extends Change | Row>(
      db: Db,
      things: T[],
      personIds: (thing: T) => string[],
    ): Promise<People>;
  };
  /** For kinds of rooms that can say what changed since a version; the others send a snapshot. */
  changesSince: Partial<
    Record<RoomKind, (db: Db, id: string, since: number) => Promise<Change[] | 'too many'>>
  >;
  /** Data that a reply brings beside the room's state (presence, counts). Evaluated when the reply is sent. */
  ephemeral: Partial<
    Record<
      RoomKind,
      (
        db: Db,
        id: string,
        /** The room's version of just now, if it is known; and only of these people, if any are given. */
        of?: { version?: number; among?: string[] | undefined },
      ) => Promise<() => { presence: PresenceMap; presenceVersion: number; counts?: Counts }>
    >
  >;
  /** Who hears of a timeline without having joined it. */
  activity: {
    /** The access versions of a person's servers, all at the moment at which the person is in them. */
    accessVersionsOf(db: Db, userId: string): Promise<AccessVersion[]>;
    /** What was said in these timelines after these positions, for somebody who sees them. */
    saidSince(
      db: Db,
      userId: string,
      positions: Positions,
    ): Promise<[timelineId: string, activity: Activity][]>;
    /**
     * The people in a conversation, or in a private channel; of a channel that has become public those who have not read
     * it to its end.
     */
    audience: Record<'channel' | 'conversation', (db: Db, id: string) => Promise<string[]>>;
  };
}

type SliceLoaders<K extends RoomKind> = {
  [S in (typeof roomSlices)[K][number]]: (db: Db, id: string, page: Page) => Promise<Row<S>[]>;
};
