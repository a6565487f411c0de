/**
 * Healing, asked for by clients: what they hold, room by room, compared with what is. Cheap when nothing is
 * missing, which is nearly always: one query for all who ask in the same turn of the event loop.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import type { syncCommands } from '../../shared/sync.ts';
import type { Caller } from '../command.ts';
import type { Db } from '../database/database.ts';
import { enterAll, gone, type Answer } from './subscribe-all.ts';
import { inTurn, isIn, readVersions, type Holding } from './subscribe.ts';
import type { Handlers } from '../features.ts';
import { jsonBytes } from './json-bytes.ts';
import { badgesFor } from '../reads/reads.ts';

export const syncHandlers: Handlers<keyof typeof syncCommands> = {
  sync: (caller, held) =>
    inTurn(caller, Object.keys(held.rooms) as Room[], () => sync(caller, held)),
};

/** For what stands around the rooms and badges of an answer. */
const envelopeBytes = 1_024;

async function sync(caller: Caller, held: Parsed<'sync'>): Promise<Output<'sync'>> {
  const { epoch } = caller.app.instance;
  const rooms = Object.entries(held.rooms) as [Room, number][];
  const answers =
    held.epoch === epoch
      ? await compare(
          caller,
          rooms.map(([room, since]) => [room, { since, after: held.after?.[room] }]),
        )
      : await enterAll(
          caller,
          rooms.map(([room]) => [room, {}]),
        );
  const badges = held.badges !== undefined && held.badges !== false;
  const after = typeof held.badges === 'string' ? held.badges : undefined;
  const bytes = limits.answerBytes - envelopeBytes - jsonBytes(answers.map((answer) => answer()));
  const unread = badges && (await badgesFor(caller, { after, bytes }));
  return {
    epoch,
    // At the very last: one may have been moved out of the first room while all the rest was read.
    rooms: answers
      .map((answer) => answer())
      .map((entry) =>
        entry.status === 'later' || isIn(caller, entry.room) ? entry : gone(entry.room),
      ),
    ...unread,
  };
}

/** Rooms that the socket is in and holds at their version are current. Only the others are entered. */
async function compare(caller: Caller, held: [Room, Holding][]): Promise<Answer[]> {
  const here = held.filter(([room]) => caller.socket?.rooms.has(room));
  const versions = await caller.app.versions(here.map(([room]) => splitRoom(room).id));
  const current: Answer[] = [];
  const others = held.filter(([room, { since, after }]) => {
    const version = versions.get(splitRoom(room).id);
    if (version === undefined || version !== since || after !== undefined) return true;
    current.push(() => ({ status: 'current', room, version }));
    return false;
  });
  return [...current, ...(await enterAll(caller, others))];
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
