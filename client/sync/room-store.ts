/** What becomes of the rooms that a SyncClient holds: shown, told to listeners, written down, compared. */
import type { Counts } from '../../shared/members.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import type { Output, Ready, RoomChanges } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';
import type { Snapshot, SyncCursor } from './room-replica.ts';

export interface RoomStore {
  /** A snapshot replaces everything held of its room. */
  replace(snapshot: Snapshot): void;
  /** Changes of a room, in order and each once. `missed` happened while we were away or not told. */
  apply(changes: RoomChanges, when: 'live' | 'missed'): void;
  /** The room is no longer ours: nothing of it stays. */
  drop(room: Room): void;
  /** The server has moved us out of a room; it is dropped next. */
  movedOut?(room: Room): void;
  /** Data sent with a server's room that is no part of its state. Of a large server it has counts. */
  ephemeral?(room: Room, presence: PresenceMap, counts: Counts | undefined): void;
  /** An answer for this room was taken in. */
  entered?(room: Room): void;
  /** Which timelines are conversations; without it, none. */
  isConversation?(timelineId: string): boolean;
  /** What an earlier run of this client held of a room. */
  cursor?(room: Room): SyncCursor | undefined;
  readonly badges?: BadgeStore;
}

type Unread = Pick<Output<'sync'>, 'timelines' | 'moreTimelines'>;

/** Unread counts, which come beside the rooms: whole with `ready` and now and then with `sync`, perhaps in parts. */
export interface BadgeStore {
  begin(ready: Ready): void;
  /** What to ask for: the whole, or the rest of it; nothing if that is on its way. */
  ask(): true | string | undefined;
  answer(answer: Unread | undefined): void;
  /** Where the rest begins of what has come in part. */
  readonly rest: string | undefined;
  forget(): void;
}
