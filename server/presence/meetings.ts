/**
 * People who are new to each other, by a server, friendship or conversation. No status changes then, so nothing else
 * would send theirs. It is sent with the change, because a separate message could get lost between nodes.
 */
import type { Change, ChangeOf } from '../../shared/changes.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import { splitRoom, userRoom, type Room } from '../../shared/rooms.ts';
import { partnersAmong } from '../conversations/access.ts';
import type { Db } from '../database/database.ts';

export interface Meetings {
  /** Emits to a room the statuses of people that its changes add. Partners in conversations wait for `emitMeetings`. */
  note(changes: RoomChanges): void;
  /** Emits the statuses of new partners in conversations to the people who see them: one statement for all. */
  emitMeetings(): Promise<void>;
}

/** True if the room of a large server may not have listed the member before: they got a role. */
const isNewlyListed = (change: Change): change is ChangeOf<'member:updated'> =>
  change.type === 'member:updated' &&
  (change.member.role !== 'member' || change.member.roleIds !== undefined);

/** `emit` sends a room the statuses of the people who are not offline. */
export function openMeetings(db: Db, emit: (room: Room, userIds: string[]) => void): Meetings {
  let met = new Map<string, Set<string>>();

  function meet(id: string, userIds: Iterable<string>) {
    met.set(id, new Set([...(met.get(id) ?? []), ...userIds]));
  }

  return {
    note({ room, changes }) {
      const newcomers: string[] = [];
      for (const change of changes)
        if (change.type === 'member:joined' || isNewlyListed(change))
          newcomers.push(change.member.userId);
        else if (change.type === 'friendship:created') newcomers.push(change.friendship.userId);
        else if (change.type === 'conversation:created' || change.type === 'conversation:updated')
          meet(splitRoom(room).id, change.conversation.participantIds);
      emit(room, newcomers);
    },
    async emitMeetings() {
      if (met.size === 0) return;
      const meetings = met;
      met = new Map();
      let isEmitted = false;
      try {
        const everyone = new Set([...meetings.values()].flatMap((userIds) => [...userIds]));
        const seen = await partnersAmong(db, [...meetings.keys()], [...everyone]);
        for (const [id, theirs] of seen) {
          const own = meetings.get(id);
          emit(
            userRoom(id),
            theirs.filter((userId) => own?.has(userId)),
          );
        }
        isEmitted = true;
      } finally {
        // The next call tries again.
        if (!isEmitted) for (const [id, userIds] of meetings) meet(id, userIds);
      }
    },
  };
}
