/** Puts what is to be asked of many rooms into as few `sync` commands as the protocol allows. */
import { limits } from '../../shared/limits.ts';
import type { Input } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';
import type { Question } from './room-replica.ts';

/** One command per life of the database that rooms were heard in, and per so many rooms. */
export function syncsOf(questions: Iterable<readonly [Room, Question]>): Input<'sync'>[] {
  const syncs: Input<'sync'>[] = [];
  const open = new Map<string, Input<'sync'>>();
  for (const [room, { epoch, version, after }] of questions) {
    let sync = open.get(epoch);
    if (!sync || Object.keys(sync.rooms).length === limits.roomsPerSync) {
      sync = { epoch, rooms: {} };
      open.set(epoch, sync);
      syncs.push(sync);
    }
    sync.rooms[room] = version;
    if (after !== undefined) (sync.after ??= {})[room] = after;
  }
  return syncs;
}
