import { limits } from '../../shared/limits.ts';
import type { Input } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';
import type { SyncCursor } from './room-replica.ts';

/** One command per epoch of the cursors, and per maximum number of rooms. */
export function syncsOf(cursors: Iterable<readonly [Room, SyncCursor]>): Input<'sync'>[] {
  const syncs: Input<'sync'>[] = [];
  const open = new Map<string, Input<'sync'>>();
  for (const [room, { epoch, version, after }] of cursors) {
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
