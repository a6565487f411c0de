/**
 * Builds the content of `ready`: joins the rooms first, then reads everything in one snapshot and few round trips, so
 * no change is missed.
 */
import { Account } from '../../shared/accounts.ts';
import type { InstanceRole } from '../../shared/administration.ts';
import type { Entry } from '../../shared/entry.ts';
import { notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { People } from '../../shared/people.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import type { ChosenStatus } from '../../shared/presence.ts';
import type { Badges } from '../../shared/reads.ts';
import { userRoom } from '../../shared/rooms.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { clientScript } from '../http/client-files.ts';
import { jsonBytes } from '../realtime/json-bytes.ts';
import { sessionRoom } from '../realtime/room-names.ts';
import { withEphemeral } from '../realtime/subscribe.ts';
import type { Caller } from '../caller.ts';
import type { ChatSocket } from '../realtime/chat-socket.ts';

interface Arrival {
  /** One's own room: to be called when it is sent. */
  entered: () => Entry<'user'>;
  /** The status that was chosen, as it is stored. */
  stored: ChosenStatus;
  timelines: Badges;
  moreTimelines?: string;
  client?: string;
  administers?: InstanceRole;
}

/** For what stands in `ready` beside the room and the badges. */
const envelopeBytes = 8_192;

/**
 * Enters the caller's own room, and where they hear of their servers.
 * @throws ChatError not_found, if the session has ended since it was looked up: it could not be closed by its room yet
 */
export async function arrive(caller: Caller, socket: ChatSocket): Promise<Arrival> {
  const { node, db, user, sessionId } = caller;
  const room = userRoom(user.id);
  // While nobody listened nothing was told: what is known is of before.
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
    ...(read.administers && { administers: read.administers }),
  };
}

async function readAll(db: Db, { node, user, sessionId }: Caller) {
  const features = node.features.connection;
  const [isLive, entered, owner, stored, administers, unread] = await Promise.all([
    features.isSessionLive(db, sessionId),
    node.reader.read(db, userRoom(user.id), {}).then((entry) => withEphemeral(node, db, entry)),
    features.findPeople(db, personIdsIn(Account)(user)),
    features.chosenStatus(db, user.id),
    user.kind === 'registered' ? features.instanceRoleOf(db, user.id) : undefined,
    features.badges.read(db, user.id),
  ]);
  return { isLive, entered: entered as () => Entry<'user'>, owner, stored, administers, unread };
}

/** With the room's people come those whom the rest of `ready` names: whose bot one is. */
const withPeople = (entry: Entry<'user'>, people: People): Entry<'user'> =>
  entry.status === 'snapshot' ? { ...entry, people: { ...people, ...entry.people } } : entry;
