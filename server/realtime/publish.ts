/** Publishes commits to all nodes; each delivers to its own sockets (deliver.ts). Lossy events are emitted at once. */
import type { People } from '../../shared/people.ts';
import { renewed } from '../../shared/renewed-account.ts';
import type { Closing, LossyEvent, VolatileEvent } from '../../shared/protocol.ts';
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
import { Pace } from './pace.ts';
import type { Moment, Payload, Sockets } from './sockets.ts';

export interface Publication {
  envelopes: Envelope[];
  revocations?: Revocation[];
  grants?: Grant[];
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
}

export class Fanout {
  readonly #needs: Needs;
  readonly #pace: Pace;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#pace = new Pace(needs.clock);
    needs.cluster.onMessage((message) => this.#receive(message));
  }

  /** Delivers changes on all nodes. Call only after the commit. */
  publish({ envelopes, revocations = [], grants = [] }: Publication): void {
    if (envelopes.length + revocations.length + grants.length === 0) return;
    this.#apply({ envelopes, revocations, grants });
    const { epoch } = this.#needs.instance;
    const changes = { ...packed(envelopes), departures: revocations, arrivals: grants };
    this.#sendToNodes({ kind: 'news', epoch, ...changes });
  }

  broadcast<E extends LossyEvent>(rooms: Room[], event: E, payload: Payload<E>): void {
    this.#emit(rooms, event, payload);
    this.#sendToNodes({ kind: 'word', rooms, event, payload });
  }

  /** Emits a volatile event on all nodes. `mark` is the access version at which the sender's right was read. */
  broadcastVolatile<E extends VolatileEvent>(moment: Moment<E>, mark: AccessVersion): void {
    this.#emitVolatile(moment, mark);
    this.#sendToNodes({ kind: 'moment', epoch: this.#needs.instance.epoch, ...moment, mark });
  }

  closeSessions(sessionIds: string[], closing: Closing): void {
    if (sessionIds.length === 0) return;
    this.#needs.sockets.closeSessions(sessionIds, closing);
    this.#sendToNodes({ kind: 'ending', sessionIds, closing });
  }

  #sendToNodes(message: NodeMessage): void {
    this.#needs.cluster.broadcast(message);
  }

  /** Messages can be late, duplicated, reordered or lost; versions and access versions detect it. */
  #receive(received: unknown): void {
    const { data: message } = NodeMessage.safeParse(received);
    const { epoch } = this.#needs.instance;
    if (message?.kind === 'news' && message.epoch === epoch)
      this.#apply({
        envelopes: unpacked(message),
        revocations: message.departures,
        grants: message.arrivals,
      });
    else if (message?.kind === 'word')
      this.#emit(message.rooms, message.event, message.payload as never);
    else if (message?.kind === 'moment' && message.epoch === epoch)
      this.#emitVolatile({ ...message, payload: message.payload as never }, message.mark);
    else if (message?.kind === 'ending')
      this.#needs.sockets.closeSessions(message.sessionIds, message.closing);
  }

  /** Applies revocations before delivering, so that a removed member never receives the change. */
  #apply({ envelopes, revocations, grants }: Required<Publication>): void {
    const { log, sockets, access, activity, delivery } = this.#needs;
    for (const revocation of revocations) access.applyRevocation(revocation);
    for (const envelope of envelopes)
      void attempt({ log }, 'deliver', () => delivery.deliver(envelope));
    for (const grant of grants) {
      // Before any activity, because activity can include messages from before the grant.
      sockets.emitLossy([userRoom(grant.userId)], 'read', { timelines: grant.read });
      void attempt({ log }, 'grant', () => activity.enter(grant));
    }
  }

  #emit<E extends LossyEvent>(rooms: Room[], event: E, payload: Payload<E>): void {
    const { sockets } = this.#needs;
    if (event === 'people' && rooms.length > 0)
      renewCallers(sockets, (payload as Payload<'people'>).people);
    sockets.emitLossy(rooms, event, payload);
  }

  #emitVolatile<E extends VolatileEvent>(moment: Moment<E>, accessVersion: AccessVersion): void {
    const { sockets, access } = this.#needs;
    void attempt(this.#needs, moment.event, async () => {
      if (!sockets.hasAny(moment.room)) return;
      await access.catchUpTo(accessVersion);
      if (this.#pace.take(moment)) sockets.emitVolatile(moment);
    });
  }
}

/** Updates the accounts of open sockets, so that later messages carry the new names and pictures. */
function renewCallers(sockets: Sockets, people: People): void {
  for (const person of Object.values(people))
    for (const { data } of sockets.in(userRoom(person.id)))
      if (data.caller.user.rev < person.rev) data.caller.user = renewed(data.caller.user, person);
}
