/** The callbacks of a SyncClient: they store rows, notify listeners and supply saved cursors. */
import type { Counts } from '../../shared/members.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import type { Output, Ready, RoomChanges } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';
import type { RoomSnapshot, SyncCursor } from './room-replica.ts';

export interface RoomStore {
  replace(snapshot: RoomSnapshot): void;
  /** In order, each change once. `missed`: they happened while the client was away or not subscribed. */
  apply(changes: RoomChanges, when: 'live' | 'missed'): void;
  /** Removes the state of a room that the user can no longer see. */
  drop(room: Room): void;
  /** Called when the server has removed the client from a room; `drop` follows. */
  movedOut?(room: Room): void;
  /** Receives ephemeral data of a server's room (presence). A large server also sends counts. */
  ephemeral?(room: Room, presence: PresenceMap, counts: Counts | undefined): void;
  /** Called when an answer for this room was handled. */
  entered?(room: Room): void;
  /** True if the timeline is a conversation. Without this function, none is. */
  isConversation?(timelineId: string): boolean;
  /** The saved cursor of a room, from an earlier run of this client. */
  cursor?(room: Room): SyncCursor | undefined;
  readonly badges?: BadgeStore;
}

type Unread = Pick<Output<'sync'>, 'timelines' | 'moreTimelines'>;

/** Unread counts, sent beside the rooms: completely with `ready` and sometimes with `sync`, possibly in parts. */
export interface BadgeStore {
  begin(ready: Ready): void;
  /** The badges to request: all, the next part, or none if a request is under way. */
  ask(): true | string | undefined;
  answer(answer: Unread | undefined): void;
  /** The start of the next part, if only some have arrived. */
  readonly rest: string | undefined;
  forget(): void;
}
