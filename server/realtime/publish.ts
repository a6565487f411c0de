/**
 * The one way out. What is committed is published here and to all other nodes; each delivers it to its own sockets
 * (deliver.ts). Lossy events go to their rooms at once.
 */
import type { People } from '../../shared/people.ts';
import { renewed } from '../../shared/renewed-account.ts';
import type { Closing, LossyEvent, VolatileEvent, VolatilePayload } from '../../shared/protocol.ts';
import { userRoom, type Room } from '../../shared/rooms.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { attempt } from '../node/attempt.ts';
import type { Clock } from '../node/clock.ts';
import type { Instance } from '../node/instance.ts';
import type { Logger } from '../node/log.ts';
import type { AccessVersions } from './access-version.ts';
import type { ActivityFeed } from './activity.ts';
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
import type { Moment, Payload, Sockets } from './sockets.ts';

/** What a commit has done. */
export interface Publication {
  envelopes: Envelope[];
  revocations?: Revocation[];
  grants?: Grant[];
}

/** How much of an event a node lets out: its feature decides. */
export interface VolatilePace<E extends VolatileEvent> {
  /** Whether there is room for this one; then it is counted. */
  take(payload: VolatilePayload<E>): boolean;
}

export type VolatilePaces = { [E in VolatileEvent]: VolatilePace<E> };

export interface Fanout {
  /** Delivers what has been committed, here and on all nodes. Never before the commit. */
  publish(publication: Publication): void;
  /** Emits a lossy event to rooms on all nodes. */
  broadcast<E extends LossyEvent>(rooms: Room[], event: E, payload: Payload<E>): void;
  /** Says what a person does at this moment, on all nodes; the access version is of when they might. */
  broadcastVolatile<E extends VolatileEvent>(moment: Moment<E>, accessVersion: AccessVersion): void;
  /** Closes the sockets of ended sessions on all nodes, with the reason. */
  closeSessions(sessionIds: string[], closing: Closing): void;
}

interface Needs {
  log: Logger;
  instance: Instance;
  cluster: Cluster;
  sockets: Sockets;
  access: AccessVersions;
  activity: ActivityFeed;
  delivery: Delivery;
  clock: Clock;
  openPaces(clock: Clock): VolatilePaces;
}

type Part = Needs & { paces: VolatilePaces };

export function openFanout(needs: Needs): Fanout {
  const node: Part = { ...needs, paces: needs.openPaces(needs.clock) };
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
      emitLocally(node, rooms, event, payload);
      sendToNodes({ kind: 'word', rooms, event, payload });
    },
    broadcastVolatile(moment, accessVersion) {
      emitVolatile(node, moment, accessVersion);
      const { epoch } = instance;
      sendToNodes({ kind: 'moment', epoch, ...moment, mark: accessVersion });
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
    emitLocally(node, message.rooms, message.event, message.payload as never);
  else if (message?.kind === 'moment' && message.epoch === epoch)
    emitVolatile(node, { ...message, payload: message.payload as never }, message.mark);
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
  for (const grant of grants) {
    // Before any activity, which may speak of what was said before they came.
    sockets.emitLossy([userRoom(grant.userId)], 'read', { timelines: grant.read });
    void attempt({ log }, 'grant', () => activity.enter(grant));
  }
}

function emitLocally<E extends LossyEvent>(
  { sockets }: Needs,
  rooms: Room[],
  event: E,
  payload: Payload<E>,
): void {
  if (event === 'people' && rooms.length > 0)
    renewCallers(sockets, (payload as Payload<'people'>).people);
  sockets.emitLossy(rooms, event, payload);
}

/** What these people write from now on brings their new names and pictures. */
function renewCallers(sockets: Sockets, people: People): void {
  for (const person of Object.values(people))
    for (const { data } of sockets.in(userRoom(person.id)))
      if (data.caller.user.rev < person.rev) data.caller.user = renewed(data.caller.user, person);
}

const emitVolatile = <E extends VolatileEvent>(
  node: Part,
  moment: Moment<E>,
  accessVersion: AccessVersion,
): void =>
  void attempt(node, moment.event, async () => {
    const { sockets, access, paces } = node;
    if (!sockets.hasAny(moment.room)) return;
    await access.catchUpTo(accessVersion);
    if (paces[moment.event].take(moment.payload)) sockets.emitVolatile(moment);
  });
