import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Account } from '../shared/accounts.ts';
import type { CommandName, Output, Parsed } from '../shared/protocol.ts';
import type { CommandQueues } from './admission/command-queues.ts';
import type { ConnectionSlots } from './admission/connection-slots.ts';
import type { FairQueue } from './admission/fair-queue.ts';
import type { Pressure } from './admission/pressure.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { RateLimits } from './cluster/limits.ts';
import type { Config } from './config.ts';
import type { ConnectionFeatures } from './connection-features.ts';
import type { Db } from './database/database.ts';
import type { Share, Shares } from './database/shares.ts';
import type { Clock } from './node/clock.ts';
import type { EpochPart } from './node/epoch.ts';
import type { Instance } from './node/instance.ts';
import type { Logger } from './node/log.ts';
import type { Metrics } from './node/metrics.ts';
import type { ChatSocket, Io, Subscriber } from './realtime/chat-socket.ts';
import type { Realtime } from './realtime/open.ts';
import type { LargeServers } from './realtime/large-servers.ts';
import type { Presence } from './realtime/presence.ts';
import type { RoomFeatures } from './realtime/room-features.ts';

/** The engine of one node. Features keep their own state for it: see node/per-node.ts. */
export interface Node extends Realtime {
  config: Config;
  log: Logger;
  clock: Clock;
  /** Random for each start. */
  id: string;
  instance: Instance;
  /** For the node’s own work. Work for a caller goes through the caller’s share: see `Context`. */
  ownDb: Db;
  shares: Shares;
  io: Io<Caller>;
  cluster: Cluster;
  limits: RateLimits;
  queues: CommandQueues<ChatSocket>;
  /** True while more work is ready than processors are free. */
  isPressed: Pressure;
  /** The queue of handshakes. */
  arrivals: FairQueue;
  slots: ConnectionSlots;
  metrics: Metrics;
  /** Parts with state from the database. They are reset when the epoch changes. */
  parts: EpochPart[];
  /** True while the node shuts down: it accepts no new connections. */
  draining: boolean;
  /** Sets `request.session`, which is `signed` if the cookie is ours. Does not look the session up. */
  session: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  presence: Presence;
  large: LargeServers;
  handlers: Handlers<CommandName>;
  features: { rooms: RoomFeatures; connection: ConnectionFeatures };
}

/** A node, and its database with the share of the connections that pays for the work. */
export interface Context {
  node: Node;
  db: Db;
}

export interface Caller extends Subscriber, Context {}

export type Handler<C extends CommandName> = (
  caller: Caller,
  input: Parsed<C>,
) => Promise<Output<C>>;
export type Handlers<C extends CommandName> = { [N in C]: Handler<N> };

/** The context of an account. Bots use their owner’s share; otherwise each bot would add a share to the owner’s. */
export const contextFor = (node: Node, { id, ownerId = id }: Account): Context =>
  contextWith(node, node.shares.of(ownerId));

export const contextForStrangers = (node: Node): Context =>
  contextWith(node, node.shares.strangers);

export const ownContext = (node: Node): Context => ({ node, db: node.ownDb });

const contextWith = (node: Node, share: Share): Context => ({
  node,
  db: { ...node.ownDb, share },
});
