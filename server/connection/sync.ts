/** Answers `sync`. When nothing is missing, which is the usual case, all requests of one tick share one query. */
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import type { syncCommands } from '../../shared/sync.ts';
import { jsonBytes } from '../realtime/json-bytes.ts';
import type { HeldRead } from '../realtime/room-reader.ts';
import { gone, subscribeAll, type Answer } from '../realtime/subscribe-all.ts';
import { inOrder, isIn } from '../realtime/subscribe.ts';
import type { Caller, Handlers } from '../caller.ts';

export const syncHandlers: Handlers<keyof typeof syncCommands> = {
  sync: (caller, held) =>
    inOrder(caller, Object.keys(held.rooms) as Room[], () => sync(caller, held)),
};

/** Bytes of an answer beside its rooms and badges. */
const envelopeBytes = 1_024;

async function sync(caller: Caller, held: Parsed<'sync'>): Promise<Output<'sync'>> {
  const { features, instance } = caller.node;
  const { epoch } = instance;
  const rooms = Object.entries(held.rooms) as [Room, number][];
  const answers =
    held.epoch === epoch
      ? await compare(
          caller,
          rooms.map(([room, since]) => [room, { since, after: held.after?.[room] }]),
        )
      : await subscribeAll(
          caller,
          rooms.map(([room]) => [room, {}]),
        );
  const badges = held.badges !== undefined && held.badges !== false;
  const after = typeof held.badges === 'string' ? held.badges : undefined;
  const bytes = limits.answerBytes - envelopeBytes - jsonBytes(answers.map((answer) => answer()));
  const unread = badges && (await features.connection.badges.of(caller, { after, bytes }));
  return {
    epoch,
    // Last, because the socket may have been evicted from the first room while the rest was read.
    rooms: answers
      .map((answer) => answer())
      .map((entry) =>
        entry.status === 'later' || isIn(caller, entry.room) ? entry : gone(entry.room),
      ),
    ...unread,
  };
}

/** Rooms that the socket is in and holds at their version are current. Subscribes only to the others. */
async function compare(caller: Caller, held: [Room, HeldRead][]): Promise<Answer[]> {
  const here = held.filter(([room]) => caller.socket?.rooms.has(room));
  const now = await caller.node.reader.readRooms(here.map(([room]) => splitRoom(room).id));
  const current: Answer[] = [];
  const others = held.filter(([room, { since, after }]) => {
    const version = now.get(splitRoom(room).id)?.version;
    if (version === undefined || version !== since || after !== undefined) return true;
    current.push(() => ({ status: 'current', room, version }));
    return false;
  });
  return [...current, ...(await subscribeAll(caller, others))];
}
