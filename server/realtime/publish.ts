/**
 * The one road out. What is committed is told here and to all other nodes; each delivers it to its own
 * sockets (deliver.ts). What is lossy (who is online, names, how far one has read) is said to rooms at once.
 */
import { joinActivity, type Newcomers } from './activity.ts';
import type { App } from '../app.ts';
import type { ChatSocket } from '../command.ts';
import { attempt } from '../node/attempt.ts';
import { deliver } from './deliver.ts';
import { noteHead } from './version-check.ts';
import { activityRoom, depart, isRoom, upTo, type Place } from './access-version.ts';
import {
  packed,
  Parcel,
  unpacked,
  type Arrival,
  type Departure,
  type Envelope,
  type Mark,
} from './node-messages.ts';
import type { People } from '../../shared/people.ts';
import type { Closing, RoomChanges, ServerToClientEvents } from '../../shared/protocol.ts';
import type { ChosenStatus, PresenceMap } from '../../shared/presence.ts';
import type { Activity, Positions } from '../../shared/reads.ts';
import { serverRoom, splitRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { Typing } from '../../shared/typing.ts';

/** What a commit has done. */
export interface News {
  envelopes: Envelope[];
  departures?: Departure[];
  arrivals?: Arrival[];
}

/** Tells what has been committed, here and on all nodes. Never before the commit. */
export function publish(app: App, { envelopes, departures = [], arrivals = [] }: News): void {
  if (envelopes.length + departures.length + arrivals.length === 0) return;
  const { epoch } = app.instance;
  // The node tells: nobody waits for the share of whoever did it.
  tellHere(app.whole, { envelopes, departures, arrivals });
  tellOthers(app, { kind: 'news', epoch, ...packed(envelopes), departures, arrivals });
}

/** Takes in what other nodes tell. It may be late, twice, in another order, or missing: versions and marks say so. */
export function hearOthers(app: App): void {
  app.cluster.onTold((told) => {
    const { data: parcel } = Parcel.safeParse(told);
    if (parcel?.kind === 'news' && parcel.epoch === app.instance.epoch)
      tellHere(app, { ...parcel, envelopes: unpacked(parcel) });
    else if (parcel?.kind === 'word')
      sayHere(app, parcel.rooms, parcel.event, parcel.payload as never);
    else if (parcel?.kind === 'writing' && parcel.epoch === app.instance.epoch)
      void tellTypingHere(app, parcel.typing, parcel.mark);
    else if (parcel?.kind === 'ending') closeHere(app, parcel.sessionIds, parcel.closing);
  });
}

const tellOthers = (app: Pick<App, 'cluster'>, parcel: Parcel) => app.cluster.tell(parcel);

/** Who is out first, then what happened. */
function tellHere(app: App, { envelopes, departures, arrivals }: Required<News>): void {
  for (const departure of departures) depart(app, departure);
  for (const envelope of envelopes) void attempt(app, 'deliver', () => deliver(app, envelope));
  for (const { userId, read } of arrivals) {
    // Before any activity, which may speak of what was said before they came.
    tellReadHere(app, userId, read);
    for (const socket of socketsIn(app, userRoom(userId)))
      void attempt(app, 'arrival', () => joinActivity(socket.data.caller, socket));
  }
}

/** Emits what happened in a room, to those in it here. */
export function tellChanges(app: App, changes: RoomChanges): void {
  noteHead(app, changes.room, changes.to);
  measure(app, changes);
  app.io.local.to(changes.room).emit('changes', changes);
}

function measure({ metrics }: App, { changes }: RoomChanges): void {
  metrics.changes.observe(changes.length);
  for (const change of changes)
    if (change.type === 'message:created')
      metrics.delivery.observe(
        Math.max(0, Date.now() - Date.parse(change.message.createdAt)) / 1_000,
      );
}

/** Says how far a room is to those who may be behind: they ask for what is missing. */
export function tellHead(app: App, room: Room, version: number): void {
  noteHead(app, room, version);
  app.io.local.to(room).emit('head', { room, version });
}

/**
 * Says that a timeline got longer, to those here who have it on their list but do not hear it: everyone in its
 * server, or these people. Newcomers hear of what came after them alone: the rest they may have read elsewhere.
 */
export function tellActivity(
  app: App,
  timelineId: string,
  activity: Activity,
  newcomers: Newcomers,
  userIds?: string[],
): void {
  const { serverId, last } = activity;
  const places = userIds?.map(userRoom) ?? (serverId === undefined ? [] : [activityRoom(serverId)]);
  // To no room at all would be to everybody.
  if (places.length === 0) return;
  const here = timelineRoom(timelineId);
  app.io.local
    .to(places)
    .except([here, ...app.slow.behind, ...newcomers.keys()])
    .emit('activity', { timelines: { [timelineId]: activity } });
  const hears = (rooms: ReadonlySet<string>) =>
    !rooms.has(here) && places.some((place) => rooms.has(place));
  const { sockets } = app.io.of('/');
  for (const [id, since] of newcomers) {
    const socket = sockets.get(id);
    if (socket === undefined || since >= last || app.slow.behind.has(id)) continue;
    if (hears(socket.rooms))
      socket.emit('activity', { timelines: { [timelineId]: { ...activity, since } } });
  }
}

/** Says to those devices of somebody here that are in the server, if it is in one, that they are mentioned, or no longer. */
export function tellMentioned(
  app: App,
  userId: string,
  timelineId: string,
  activity: Activity,
  newcomers: Newcomers,
): void {
  const { serverId } = activity;
  const hears = (socket: ChatSocket) =>
    serverId === undefined || socket.rooms.has(activityRoom(serverId));
  for (const socket of socketsIn(app, userRoom(userId))) {
    if (!hears(socket) || app.slow.behind.has(socket.id)) continue;
    const since = newcomers.get(socket.id) ?? activity.since;
    socket.emit('activity', { timelines: { [timelineId]: { ...activity, since } } });
  }
}

/** Says that timelines are no more, to those here who have them on their list, but not to those for whom they stay. */
export function tellEnd(app: App, serverId: string, rooms: Room[], stay: string[]): void {
  const timelines = Object.fromEntries(rooms.map((room) => [splitRoom(room).id, null]));
  app.io.local
    .to(activityRoom(serverId))
    .except(stay.map(userRoom))
    .emit('activity', { timelines });
}

/** Says to one's devices here how far one has read. */
export const tellReadHere = (app: App, userId: string, timelines: Positions): void =>
  sayHere(app, [userRoom(userId)], 'read', { timelines });

/** The same to one's devices on all nodes. */
export const tellRead = (app: App, userId: string, timelines: Positions): void =>
  say(app, [userRoom(userId)], 'read', { timelines });

/** Says to one's devices here what one has chosen to be seen as. */
export const tellStatusHere = (app: Pick<App, 'io'>, userId: string, status: ChosenStatus): void =>
  void app.io.local.to(userRoom(userId)).emit('seenAs', { status });

/** Says who is online now, to those here who are in the room: each node does, for its own. */
export const tellPresenceHere = (
  app: Pick<App, 'io' | 'slow'>,
  room: Room,
  users: PresenceMap,
): void => sayHere(app, [room], 'presence', { room, users });

/** Says how everyone is whom a room concerns, to those here who are in it. */
export const tellEveryPresenceHere = (
  app: Pick<App, 'io' | 'slow'>,
  room: Room,
  users: PresenceMap,
): void => sayHere(app, [room], 'presence', { room, users, full: true });

/** The same to one socket. */
export const tellWholePresence = (socket: ChatSocket, room: Room, users: PresenceMap): void =>
  void socket.emit('presence', { room, users, full: true });

/** Says how somebody is who came into a server, to those in its room on all nodes, if they know each other there. */
export function tellPresence(app: App, serverId: string, users: PresenceMap): void {
  const room = serverRoom(serverId);
  if (!app.large.has(serverId)) say(app, [room], 'presence', { room, users });
}

/** Says to somebody how a friend is, or whom they write to, on all nodes. */
export function tellFriend(app: App, userId: string, users: PresenceMap): void {
  const room = userRoom(userId);
  say(app, [room], 'presence', { room, users });
}

/** Says that people have changed, to those who know them. Lossy: rows bring people along, too. */
export const tellPeople = (app: App, people: People, rooms: Room[]): void =>
  say(app, rooms, 'people', { people });

/** Says that somebody is writing, to the others in the timeline on all nodes; `mark` is of the moment at which they might. */
export function tellTyping(app: App, typing: Typing, mark: Mark): void {
  void tellTypingHere(app.whole, typing, mark);
  tellOthers(app, { kind: 'writing', epoch: app.instance.epoch, typing, mark });
}

const tellTypingHere = (app: App, typing: Typing, mark: Mark) =>
  attempt(app, 'typing', async () => {
    const room = timelineRoom(typing.timelineId);
    if (!isHeard(app, room)) return;
    await upTo(app, mark);
    if (!app.typingPace.take(typing.timelineId, typing.userId)) return;
    app.io.local
      .to(room)
      .except([userRoom(typing.userId), ...app.slow.behind])
      .volatile.emit('typing', typing);
  });

type Lossy = 'presence' | 'people' | 'read';
type Payload<E extends Lossy> = Parameters<ServerToClientEvents[E]>[0];

function say<E extends Lossy>(app: App, rooms: Room[], event: E, payload: Payload<E>): void {
  sayHere(app, rooms, event, payload);
  tellOthers(app, { kind: 'word', rooms, event, payload });
}

function sayHere<E extends Lossy>(
  app: Pick<App, 'io' | 'slow'>,
  rooms: string[],
  event: E,
  payload: Payload<E>,
): void {
  // To no room at all would be to everybody.
  if (rooms.length === 0) return;
  if (event === 'people') rename(app, (payload as Payload<'people'>).people);
  app.io.local
    .to(rooms)
    .except([...app.slow.behind])
    .emit(event, ...([payload] as Parameters<ServerToClientEvents[E]>));
}

/** What somebody writes from now on brings their new name along. */
function rename(app: Pick<App, 'io'>, people: People): void {
  for (const { id, name, username = null, kind, rev } of Object.values(people))
    for (const { data } of socketsIn(app, userRoom(id)))
      if (data.caller.user.rev < rev)
        data.caller.user = { ...data.caller.user, name, username, kind, rev };
}

/** Takes somebody's sockets, or those of all who do not stay, out of places here, and tells each that it was. */
export function moveOut(
  app: App,
  places: Place[],
  { userId, stay = [] }: Pick<Departure, 'userId' | 'stay'> = {},
): void {
  const staying = new Set(stay);
  for (const place of places) {
    for (const socket of socketsIn(app, place)) {
      const { id } = socket.data.caller.user;
      if (userId === undefined ? staying.has(id) : id !== userId) continue;
      void socket.leave(place);
      if (isRoom(place)) socket.emit('head', { room: place, version: null });
    }
  }
}

/** Closes the sockets of ended sessions on all nodes, with the reason. */
export function closeSessions(app: App, sessionIds: string[], closing: Closing): void {
  if (sessionIds.length === 0) return;
  closeHere(app, sessionIds, closing);
  tellOthers(app, { kind: 'ending', sessionIds, closing });
}

/** Closes those that are here, once what they have asked is answered: so who ends their own session hears that they did. */
export function closeHere(app: Pick<App, 'io'>, sessionIds: string[], closing: Closing): void {
  for (const sessionId of sessionIds)
    for (const socket of socketsIn(app, sessionRoom(sessionId)))
      void socket.data.answers.end().then(() => closeSocket(socket, closing));
}

/** Closes one socket, when all that it was sent is out. */
export function closeSocket(socket: ChatSocket, closing: Closing): void {
  socket.emit('closing', closing);
  socket.disconnect(true);
}

/** Closes everything that is open here. */
export function closeAll(app: Pick<App, 'io'>, closing: Closing): void {
  app.io.local.emit('closing', closing);
  app.io.local.disconnectSockets(true);
}

/** By the public id: room names travel, cookies must not. */
export const sessionRoom = (sessionId: string): SessionRoom => `session:${sessionId}`;
type SessionRoom = `session:${string}`;

/** Whether anybody here hears what is said there. */
export const isHeard = ({ io }: Pick<App, 'io'>, place: Place): boolean =>
  io.of('/').adapter.rooms.has(place);

export function socketsIn({ io }: Pick<App, 'io'>, place: Place | SessionRoom): ChatSocket[] {
  const { adapter, sockets } = io.of('/');
  return [...(adapter.rooms.get(place) ?? [])].flatMap((id) => sockets.get(id) ?? []);
}
