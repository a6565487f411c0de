/** The state that nodes share besides the database: single-node.ts is a node by itself, redis.ts one of several. */
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
  /** Sends a JSON value to all other nodes. It can get lost, and two senders have no common order. Never throws. */
  broadcast(message: unknown): void;
  /** Calls every listener with every message of the other nodes. A listener ignores messages of other kinds. */
  onMessage(listener: (message: unknown) => void): void;
  /** True while this node receives the messages of the others, as far as it knows. */
  isSubscribed(): boolean;
  /** Calls `listener` when messages arrive again. Messages that were sent meanwhile are lost. */
  onResubscribed(listener: () => void): void;
  /** Tests whether messages can be sent, and whether they arrive. Takes a second at most. */
  healthy(): Promise<Health>;
  /** Leaves the cluster. Other nodes keep this node's people for seconds, because most reconnect to another node. */
  close(): Promise<void>;
}

export interface Health {
  publish: boolean;
  subscribe: boolean;
}

/** Presence: each node sets the statuses of its own people, which last as long as its lease. */
export interface Leases {
  /** Sets a person's status on this node; undefined removes it. */
  set(userId: string, said: NodeStatus | undefined): void;
  /** The merged status of all living nodes, as others see it. */
  status(userId: string): Status;
  everyone(): string[];
  onChange(listener: (userIds: string[]) => void): void;
}

export interface NodeEvents {
  parcel: (message: unknown) => void;
}

export type NodeIo = Server<ClientToServerEvents, ServerToClientEvents, NodeEvents>;
