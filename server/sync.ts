/**
 * Healing, asked for by clients: what they hold, room by room, compared with what is. Cheap when nothing is
 * missing, which is nearly always: one query for all who ask in the same turn of the event loop.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { SyncEntry } from '../shared/entry.ts';
import { ChatError } from '../shared/failure.ts';
import { limits } from '../shared/limits.ts';
import type { Output, Parsed } from '../shared/protocol.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';
import type { syncCommands } from '../shared/sync.ts';
import type { Caller } from './command.ts';
import type { Db } from './database/database.ts';
import { inTurn, isIn, prepare, readVersions } from './enter.ts';
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

/** Called when everything has been read. */
type Answer = () => SyncEntry;

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

/** What a room takes in the answer when nothing is brought of it. */
const lineBytes = 128;

/**
 * One after the other: a client that was away for long must not take all connections to the database. Nothing
 * more is read once what was read fills the answer.
 */
async function enterAll(caller: Caller, held: [Room, number | undefined][]): Promise<Answer[]> {
  const answers: Answer[] = [];
  let left: number = limits.answerBytes - limits.roomsPerSync * lineBytes;
  for (const [room, since] of held) {
    if (left > 0) await takeEntry(caller, 1);
    const answer =
      left > 0
        ? await prepare(caller, room, since).catch((error: unknown) => goneIf(error, room))
        : () => later(room);
    if (answer().status === 'gone') await takeEntry(caller, forNothing);
    const bytes = Buffer.byteLength(JSON.stringify(answer()));
    const isFirst = answers.every((before) => before().status === 'gone');
    answers.push(bytes <= left || isFirst ? answer : () => later(room));
    left = bytes <= left ? left - bytes : 0;
  }
  return answers;
}

/** What it costs to be told that a room is not there, beyond what entering one does: there is no end of such rooms. */
const forNothing = 4;

const takeEntry = ({ app, user }: Caller, points: number) =>
  app.limits.take('enter', user.id, points);

/** What is not there, or not for this caller. Whatever else went wrong says nothing about the room. */
function goneIf(error: unknown, room: Room): Answer {
  if (error instanceof ChatError && error.code === 'not_found') return () => gone(room);
  throw error;
}

const gone = (room: Room): SyncEntry => ({ status: 'gone', room });
const later = (room: Room): SyncEntry => ({ status: 'later', room });

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
