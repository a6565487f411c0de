/**
 * Badges, live: whoever is in a server hears that something was said in its timelines, without having joined
 * them. At most once a second for each timeline, since only how far it is matters; lossy, healed by `sync`.
 */
import type { App } from './app.ts';
import type { Caller, ChatSocket } from './command.ts';
import { activityRoom, isEnded, noteJoin, upTo } from './marks.ts';
import { marksOfMember } from './members/access.ts';
import type { Envelope } from './parcels.ts';
import { tellActivity, tellReadHere } from './publish.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';

type Said = NonNullable<Envelope['said']>;

/** What was said in a timeline since it was last told. */
interface Pending {
  serverId: string;
  said: Said | undefined;
}

export type Activity = Map<Room, Pending>;

const pause = 1_000;

/** Puts a socket where it hears of all servers that its person is in now. */
export async function joinActivity({ app, user }: Caller, socket: ChatSocket): Promise<void> {
  for (;;) {
    const marks = await marksOfMember(app.db, user.id);
    if (!socket.connected) return;
    // From here to the join nothing else runs on this node.
    const sure = marks.filter((mark) => noteJoin(app, activityRoom(mark.scope), mark));
    await socket.join(sure.map(({ scope }) => activityRoom(scope)));
    if (sure.length === marks.length) return;
    // Somebody has left one of the others meanwhile, perhaps this very person.
    for (const mark of marks) await upTo(app, mark);
  }
}

/** Tells it at once, and what comes within the next second at its end. */
export function noteActivity(app: App, serverId: string, room: Room, said: Said): void {
  if (isEnded(app, serverId, room)) return;
  const pending = app.activity.get(room);
  if (pending === undefined) {
    app.activity.set(room, { serverId, said: undefined });
    tell(app, serverId, room, said);
    wait(app, room);
  } else pending.said = pending.said === undefined ? said : both(pending.said, said);
}

const wait = (app: App, room: Room) =>
  void setTimeout(() => {
    const pending = app.activity.get(room);
    app.activity.delete(room);
    if (pending?.said !== undefined) noteActivity(app, pending.serverId, room, pending.said);
  }, pause).unref();

const both = (a: Said, b: Said): Said => {
  const read = { ...a.read };
  for (const [userId, position] of Object.entries(b.read))
    read[userId] = Math.max(position, read[userId] ?? 0);
  return { since: Math.min(a.since, b.since), last: Math.max(a.last, b.last), read };
};

/** Who wrote hears first how far they have read by that, or their own words would look unread. */
function tell(app: App, serverId: string, room: Room, { since, last, read }: Said): void {
  const { id: timelineId } = splitRoom(room);
  for (const [userId, position] of Object.entries(read))
    tellReadHere(app, userId, { [timelineId]: position });
  tellActivity(app, timelineId, { since, last, serverId });
}
