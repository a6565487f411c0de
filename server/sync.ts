/**
 * Healing, asked for by clients: what they hold, room by room, compared with what is. Cheap when nothing is
 * missing, which is nearly always: one query for all who ask in the same turn of the event loop.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { SyncEntry } from '../shared/entry.ts';
import type { Output, Parsed } from '../shared/protocol.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';
import type { syncCommands } from '../shared/sync.ts';
import type { Caller } from './command.ts';
import type { Db } from './database/database.ts';
import { enterAll, gone, type Answer } from './enter-all.ts';
import { inTurn, isIn, readVersions } from './enter.ts';
import type { Handlers } from './features.ts';
import { badgesFor } from './reads/reads.ts';

export const syncHandlers: Handlers<keyof typeof syncCommands> = {
  sync: (caller, held) =>
    inTurn(caller, Object.keys(held.rooms) as Room[], () => sync(caller, held)),
};

async function sync(caller: Caller, held: Parsed<'sync'>): Promise<Output<'sync'>> {
  const { epoch } = caller.app.instance;
  const rooms = Object.entries(held.rooms) as [Room, number][];
  const answers =
    held.epoch === epoch
      ? await compare(caller, rooms)
      : await enterAll(
          caller,
          rooms.map(([room]) => [room, undefined]),
        );
  const badges = held.badges === true && { timelines: await badgesFor(caller) };
  return {
    epoch,
    // At the very last: one may have been moved out of the first room while all the rest was read.
    rooms: answers
      .map((answer) => answer())
      .map((entry) =>
        entry.status === 'later' || isIn(caller, entry.room) ? entry : gone(entry.room),
      ),
    ...badges,
  };
}

/** Rooms that the socket is in and holds at their version are current. Only the others are entered. */
async function compare(caller: Caller, held: [Room, number][]): Promise<Answer[]> {
  const here = held.filter(([room]) => caller.socket?.rooms.has(room));
  const versions = await caller.app.versions(here.map(([room]) => splitRoom(room).id));
  const current = here.filter(([room, version]) => versions.get(splitRoom(room).id) === version);
  const known = new Set(current);
  return [
    ...current.map(([room, version]) => (): SyncEntry => ({ status: 'current', room, version })),
    ...(await enterAll(
      caller,
      held.filter((one) => !known.has(one)),
    )),
  ];
}

/** Asks for the versions of rooms by one query for all who ask in the same turn. */
export function versionsByTurn(db: Db): (ids: string[]) => Promise<Map<string, number>> {
  let wanted: string[] | undefined;
  let answer = Promise.resolve(new Map<string, number>());
  return (ids) => {
    if (wanted === undefined) {
      const all: string[] = [];
      wanted = all;
      answer = turn().then(() => {
        wanted = undefined;
        return readVersions(db, all);
      });
    }
    wanted.push(...ids);
    return answer;
  };
}
