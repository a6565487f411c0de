import type { LimitFunction } from 'p-limit';
import type { Server, Socket } from 'socket.io';
import type { Account } from '../../shared/accounts.ts';
import type { ClientToServerEvents, ServerToClientEvents } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';
import type { NodeEvents } from '../cluster/cluster.ts';
import type { Db } from '../database/database.ts';

export interface Identity {
  user: Account;
  sessionId: string;
}

export interface Subscriber extends Identity {
  /** Uses the share of the database connections that the subscriber’s work is charged to. */
  db: Db;
  address: string;
  /** Absent over HTTP: HTTP callers join no rooms. */
  socket?: ChatSocket;
}

export interface SocketData<C extends Subscriber = Subscriber> {
  caller: C;
  queue: LimitFunction;
  answers: Answers;
  /** The latest command for each room; the next command for the room waits for it. */
  roomQueues: Map<Room, Promise<unknown>>;
  early: Early;
  /** The hash of the cookie or token of the handshake. */
  credential: string | undefined;
}

export type ChatSocket<C extends Subscriber = Subscriber> = Socket<
  ClientToServerEvents,
  ServerToClientEvents,
  NodeEvents,
  SocketData<C>
>;

export type Io<C extends Subscriber = Subscriber> = Server<
  ClientToServerEvents,
  ServerToClientEvents,
  NodeEvents,
  SocketData<C>
>;

/** The unanswered commands of a socket (connection/pending-answers.ts). */
export interface Answers {
  /** True after `end`. New commands are dropped. */
  readonly ended: boolean;
  /** Tracks an answer under way, which must not reject. */
  add(answer: Promise<void>): void;
  /** Resolves when all tracked answers are sent, or after a time limit. */
  end(): Promise<void>;
}

type EventName = keyof ServerToClientEvents;
export type EarlyEvent = {
  [E in EventName]: [event: E, payload: Parameters<ServerToClientEvents[E]>[0]];
}[EventName];

/** Events that wait until `ready` is sent (connection/early-events.ts). */
export interface Early {
  forget(event: EventName): void;
  /** Ends the wait: later events are sent directly. Returns the waiting events in order. */
  end(): EarlyEvent[];
}
