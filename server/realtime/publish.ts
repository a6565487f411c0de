/**
 * The one way out. What is committed is published here and to all other nodes; each delivers it to its own sockets
 * (deliver.ts). Lossy events (presence, names, read positions, typing) go to their rooms at once.
 */
import type { People } from '../../shared/people.ts';
import type { Closing } from '../../shared/protocol.ts';
import { timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { Typing } from '../../shared/typing.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { attempt } from '../node/attempt.ts';
import type { Clock } from '../node/clock.ts';
import type { Instance } from '../node/instance.ts';
import type { Logger } from '../node/log.ts';
import { openTypingPace, type TypingPace } from '../typing/pace.ts';
import type { AccessVersions } from './access-version.ts';
import type { Activity } from './activity.ts';
import type { Delivery } from './deliver.ts';
import {
  NodeMessage,
  packed,
  unpacked,
  type AccessVersion,
  type Envelope,
  type Grant,
  type Revocation,
} from './node-messages.ts';
import type { LossyEvent, Payload, Sockets } from './sockets.ts';

/** What a commit has done. */
export interface Publication {
  envelopes: Envelope[];
  revocations?: Revocation[];
  grants?: Grant[];
}

export interface Fanout {
  /** Delivers what has been committed, here and on all nodes. Never before the commit. */
  publish(publication: Publication): void;
  /** Emits a lossy event to rooms on all nodes. */
  broadcast<E extends LossyEvent>(rooms: Room[], event: E, payload: Payload<E>): void;
  /** Says that a person is typing, to the others in the timeline; the access version is of the moment at which they might. */
  broadcastTyping(typing: Typing, accessVersion: AccessVersion): void;
  /** Closes the sockets of ended sessions on all nodes, with the reason. */
  closeSessions(sessionIds: string[], closing: Closing): void;
}

interface Needs {
  log: Logger;
  instance: Instance;
  cluster: Cluster;
  sockets: Sockets;
  access: AccessVersions;
  activity: Activity;
  delivery: Delivery;
  clock: Clock;
}

type Part = Needs & { typingPace: TypingPace };

export function openFanout(needs: Needs): Fanout {
  const node: Part = { ...needs, typingPace: openTypingPace(needs.clock) };
  const { instance, cluster, sockets } = node;
  const sendToNodes = (message: NodeMessage) => cluster.broadcast(message);
  cluster.onMessage((message) => onNodeMessage(node, message));
  return {
    publish({ envelopes, revocations = [], grants = [] }) {
      if (envelopes.length + revocations.length + grants.length === 0) return;
      applyLocally(node, { envelopes, revocations, grants });
      const { epoch } = instance;
      const changes = { ...packed(envelopes), departures: revocations, arrivals: grants };
      sendToNodes({ kind: 'news', epoch, ...changes });
    },
    broadcast(rooms, event, payload) {
      broadcastLocally(node, rooms, event, payload);
      sendToNodes({ kind: 'word', rooms, event, payload });
    },
    broadcastTyping(typing, accessVersion) {
      void emitTyping(node, typing, accessVersion);
      sendToNodes({ kind: 'writing', epoch: instance.epoch, typing, mark: accessVersion });
    },
    closeSessions(sessionIds, closing) {
      if (sessionIds.length === 0) return;
      sockets.closeSessions(sessionIds, closing);
      sendToNodes({ kind: 'ending', sessionIds, closing });
    },
  };
}

/** It may be late, twice, in another order, or missing: versions and access versions say so. */
function onNodeMessage(node: Part, received: unknown): void {
  const { data: message } = NodeMessage.safeParse(received);
  const { epoch } = node.instance;
  if (message?.kind === 'news' && message.epoch === epoch)
    applyLocally(node, {
      envelopes: unpacked(message),
      revocations: message.departures,
      grants: message.arrivals,
    });
  else if (message?.kind === 'word')
    broadcastLocally(node, message.rooms, message.event, message.payload as never);
  else if (message?.kind === 'writing' && message.epoch === epoch)
    void emitTyping(node, message.typing, message.mark);
  else if (message?.kind === 'ending')
    node.sockets.closeSessions(message.sessionIds, message.closing);
}

/** Applies revocations before delivering, so that a removed member never receives the change. */
function applyLocally(
  { log, sockets, access, activity, delivery }: Needs,
  { envelopes, revocations, grants }: Required<Publication>,
): void {
  for (const revocation of revocations) access.applyRevocation(revocation);
  for (const envelope of envelopes)
    void attempt({ log }, 'deliver', () => delivery.deliver(envelope));
  for (const { userId, read } of grants) {
    // Before any activity, which may speak of what was said before they came.
    sockets.emitLossy([userRoom(userId)], 'read', { timelines: read });
    for (const socket of sockets.in(userRoom(userId)))
      void attempt({ log }, 'grant', () => activity.join(socket.data.caller, socket));
  }
}

function broadcastLocally<E extends LossyEvent>(
  { sockets }: Needs,
  rooms: Room[],
  event: E,
  payload: Payload<E>,
): void {
  if (event === 'people' && rooms.length > 0)
    renameCallers(sockets, (payload as Payload<'people'>).people);
  sockets.emitLossy(rooms, event, payload);
}

/** What these people write from now on brings their new names. */
function renameCallers(sockets: Sockets, people: People): void {
  for (const { id, name, username = null, kind, rev } of Object.values(people))
    for (const { data } of sockets.in(userRoom(id)))
      if (data.caller.user.rev < rev)
        data.caller.user = { ...data.caller.user, name, username, kind, rev };
}

const emitTyping = (node: Part, typing: Typing, accessVersion: AccessVersion) =>
  attempt(node, 'typing', async () => {
    const { sockets, access, typingPace } = node;
    if (!sockets.hasAny(timelineRoom(typing.timelineId))) return;
    await access.catchUpTo(accessVersion);
    if (typingPace.take(typing.timelineId, typing.userId)) sockets.emitTyping(typing);
  });
