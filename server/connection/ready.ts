/** Sends `ready`: joins the rooms first, then reads everything in one snapshot, so that no change is missed. */
import { Account, personIdOf } from '../../shared/accounts.ts';
import type { Entry } from '../../shared/entry.ts';
import { notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { People } from '../../shared/people.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import type { ChosenStatus } from '../../shared/presence.ts';
import { protocolVersion, type Ready } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Badges } from '../../shared/reads.ts';
import { userRoom } from '../../shared/rooms.ts';
import type { Caller, Node } from '../caller.ts';
import type { InstanceRights } from '../connection-features.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { clientScript } from '../http/client-files.ts';
import { attempt } from '../node/attempt.ts';
import { leavesUnread, penaltyKeys } from '../realtime/backpressure.ts';
import type { ChatSocket, EarlyEvent } from '../realtime/chat-socket.ts';
import { jsonBytes } from '../realtime/json-bytes.ts';
import { sessionRoom } from '../realtime/room-names.ts';
import { withEphemeral } from '../realtime/subscribe.ts';
import type { CallerSocket } from './handshake.ts';

/** Joins the caller's own room, sends `ready`, then the events that were held meanwhile. False on failure. */
export async function sendReady(node: Node, socket: CallerSocket): Promise<boolean> {
  const { caller } = socket.data;
  const { user, sessionId } = caller;
  socket.on('disconnect', (reason) => {
    node.metrics.closed.inc({ reason });
    node.presence.disconnected(user.id, socket.id);
    // Disconnecting with many unread answers has the same penalty as being closed for them, because it costs as much.
    if (!reason.startsWith('server') && leavesUnread(socket))
      node.penalties.add(penaltyKeys(socket));
    // Without its socket the connection would stay open uncounted.
    socket.conn.close();
  });
  const result = await attempt(node, 'ready', () =>
    node.arrivals.run(personIdOf(user), () => arrive(caller, socket)),
  );
  // Without its own room a socket is useless: the client reconnects and tries again.
  if (!result.ok) socket.disconnect(true);
  if (!result.ok || !socket.connected) return false;
  const { stored, entered, ...more } = result.value;
  const seenAs = node.presence.connected(
    { userId: user.id, sessionId, socketId: socket.id },
    stored,
  );
  const ready: Ready = {
    ...entered(),
    ...more,
    seenAs,
    protocol: protocolVersion,
    epoch: node.instance.epoch,
    node: node.id,
    limits: { ...limits, ...quotas },
    fileBytes: node.config.PARLEY_FILE_MB * 1_000_000,
    you: caller.user,
  };
  const early = socket.data.early.end();
  socket.emit('ready', ready);
  const emit = socket.emit.bind(socket) as (...said: EarlyEvent) => unknown;
  for (const said of early) if (isNewer(said, ready)) emit(...said);
  return true;
}

/** False for changes that `ready` already includes. */
const isNewer = ([event, payload]: EarlyEvent, ready: Ready): boolean =>
  event !== 'changes' || ready.status === 'gone' || payload.to > ready.version;

interface Arrival extends InstanceRights {
  /** Makes the entry of the user's own room; call it when `ready` is sent. */
  entered: () => Entry<'user'>;
  stored: ChosenStatus;
  timelines: Badges;
  moreTimelines?: string;
  client?: string;
}

/** Bytes of `ready` beside the room and the badges. */
const envelopeBytes = 8_192;

/** @throws ChatError not_found, if the session ended before the join, when `closeSessions` could not reach it */
async function arrive(caller: Caller, socket: ChatSocket): Promise<Arrival> {
  const { node, db, user, sessionId } = caller;
  const room = userRoom(user.id);
  // Without sockets in the room nothing was sent, so the known version is out of date.
  if (!node.sockets.hasAny(room)) node.versions.forget(room);
  await socket.join([sessionRoom(sessionId), room]);
  await node.activity.join(caller, socket);
  node.activity.excludePending(socket);
  const read = await readTransaction(db, (db) => readAll(db, caller));
  if (!read.isLive) throw notFound();
  const entry = read.entered();
  if (entry.status === 'snapshot') node.versions.scheduleCheck(room, entry.version);
  const client = await clientScript();
  const bytes = limits.answerBytes - envelopeBytes - jsonBytes(entry);
  return {
    entered: () => withPeople(read.entered(), read.owner),
    stored: read.stored,
    ...node.features.connection.badges.fitting(read.unread, bytes),
    ...(client !== undefined && { client }),
    ...read.rights,
  };
}

async function readAll(db: Db, { node, user, sessionId }: Caller) {
  const features = node.features.connection;
  const [isLive, entered, owner, stored, rights, unread] = await Promise.all([
    features.isSessionLive(db, sessionId),
    node.reader.read(db, userRoom(user.id), {}).then((entry) => withEphemeral(node, db, entry)),
    features.findPeople(db, personIdsIn(Account)(user)),
    features.chosenStatus(db, user.id),
    features.instanceRightsOf(db, user),
    features.badges.read(db, user.id),
  ]);
  return { isLive, entered: entered as () => Entry<'user'>, owner, stored, rights, unread };
}

/** Adds the person that the rest of `ready` names: the owner of a bot. */
const withPeople = (entry: Entry<'user'>, people: People): Entry<'user'> =>
  entry.status === 'snapshot' ? { ...entry, people: { ...people, ...entry.people } } : entry;
