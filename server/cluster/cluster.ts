/**
 * What nodes share besides the database. One interface, so that nobody else knows whether there is a Redis:
 * single-node.ts is a node by itself, redis.ts is one of several.
 */
import type { Server } from 'socket.io';
import type { Status } from '../../shared/presence.ts';
import type { ClientToServerEvents, ServerToClientEvents } from '../../shared/protocol.ts';
import type { NodeStatus } from './presence-merge.ts';
import type { RateLimits } from './limits.ts';
import type { RecentSessions } from './sessions.ts';

export interface Cluster {
  limits: RateLimits;
  leases: Leases;
  sessions: RecentSessions;
  /**
   * Sends something that JSON can carry to all other nodes. It may get lost, and between two senders there
   * is no order. Never throws.
   */
  broadcast(message: unknown): void;
  /** Every listener gets every message of the other nodes, and takes what is its own. */
  onMessage(listener: (message: unknown) => void): void;
  /** Whether messages of the others arrive now, as far as is known. */
  isSubscribed(): boolean;
  /** Messages arrive again: whatever was sent meanwhile is lost. */
  onResubscribed(listener: () => void): void;
  /** Whether messages can be sent, and whether they arrive. Tried now; takes a second at most. */
  healthy(): Promise<Health>;
  /** Leaves the others. They keep this node's people for a few seconds: most are on their way to another node. */
  close(): Promise<void>;
}

export interface Health {
  publish: boolean;
  subscribe: boolean;
}

/** Who is online: what each node says of its own people, for as long as it lives. */
export interface Leases {
  /** What this node says of a person from now on; undefined: nothing more. */
  set(userId: string, said: NodeStatus | undefined): void;
  /** What all living nodes together say, as others may see it. */
  status(userId: string): Status;
  /** All who are not offline. */
  everyone(): string[];
  /** Hears of everyone whose `status` has become another. */
  onChange(listener: (userIds: string[]) => void): void;
}

/** What nodes say to each other by Socket.IO. */
export interface NodeEvents {
  parcel: (message: unknown) => void;
}

/** The Socket.IO server, as the nodes use it between themselves. */
export type NodeIo = Server<ClientToServerEvents, ServerToClientEvents, NodeEvents>;
