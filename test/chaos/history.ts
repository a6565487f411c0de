/** The record of a run. All times are milliseconds since its start. */
import type { Message } from '../../shared/messages.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import type { Status } from '../../shared/presence.ts';
import type { Room } from '../../shared/rooms.ts';

export type OperationKind =
  'send' | 'edit' | 'delete' | 'join' | 'leave' | 'kick' | 'ban' | 'end session';

export interface Operation {
  deed: OperationKind;
  /** The author, or the account that joins, leaves or is removed. */
  userId: string;
  timelineId?: string;
  messageId?: string;
  /** Unique for each send and edit. */
  body?: string;
  /** Name of the device whose session is ended. */
  device?: string;
  asked: number;
  answered?: number;
  /** Number of requests, including those to other nodes. */
  attempts: number;
  answers: AnsweredMessage[];
  refused?: string;
}

/** The message in an answer, with its database life: the number of failovers before it. */
export type AnsweredMessage = Message & { life: number };

export interface ReceivedChange {
  version: number;
  messageId: string;
  position: number;
  /** Empty if deleted. */
  body: string;
}

export const changesIn = ({ changes }: RoomChanges): ReceivedChange[] =>
  changes.flatMap((change) =>
    'message' in change
      ? [
          {
            version: change.version,
            messageId: change.message.id,
            position: change.message.position,
            body: change.message.body,
          },
        ]
      : [],
  );

export interface ReceivedEvent {
  at: number;
  who: string;
  room: Room;
  from: number;
  to: number;
  changes: ReceivedChange[];
  life: number;
}

export interface ConnectionTurn {
  at: number;
  who: string;
  what: 'ready' | 'lost' | 'entered' | 'moved out';
  room?: Room;
}

export interface Stall {
  who: string;
  /** When the last message had been sent. */
  at: number;
  /** When the host saw the client offline; absent if never. */
  closed?: number;
  /** When the client held all messages; absent if never. */
  back?: number;
}

export interface Failover {
  /** Commits after this time did not reach the standby; a synchronous standby has every acknowledged one. */
  lagging: number;
  /** When the nodes were connected to it. */
  at: number;
  /** Last state of the former primary, and the state that the standby had. */
  before: Stored;
  kept: Stored;
}

export interface Injection {
  fired: Record<string, number>;
  injected: number;
  mended: number;
  /** When all clients were connected and held all acknowledged before `mended` or, if `quietly`, before the silence. */
  healed?: number;
  /** Without `healed`: the client that lacked something, and the reason. */
  lacking?: string;
  /** True when clients sent nothing from shortly before the repair until `healed`. */
  quietly: boolean;
}

export interface Holding {
  who: string;
  userId: string;
  connected: boolean;
  /** Server ids; `members` maps the user ids of the run's server to roles. */
  servers: string[];
  members: Record<string, string>;
  /** By timeline id, as far back as it was read; no entry for a timeline that is not entered. */
  timelines: Record<string, readonly Message[]>;
  versions: Partial<Record<Room, number>>;
  presence: Record<string, Status>;
}

export interface Stored {
  serverId: string;
  members: Record<string, string>;
  timelines: { id: string; version: number; lastPosition: number; messages: Message[] }[];
}

export interface History {
  seed: number;
  calmUntil: number;
  operations: Operation[];
  deliveries: ReceivedEvent[];
  turns: ConnectionTurn[];
  injections: Injection[];
  stalls: Stall[];
  failovers: Failover[];
  /** In the order in which clients first received them. */
  epochs: string[];
  /** When the final state agreed with the database, or the wait for that ended. */
  settled: number;
  crashes: { at: number; what: string }[];
  notReady: string[];
  /** User ids that must be online at the end: participants with a device that is not closed. */
  present: string[];
}

export interface Ended {
  history: History;
  stored: Stored;
  holdings: Holding[];
}

export const newHistory = (seed: number): History => ({
  seed,
  calmUntil: 0,
  operations: [],
  deliveries: [],
  turns: [],
  injections: [],
  stalls: [],
  failovers: [],
  epochs: [],
  settled: 0,
  crashes: [],
  notReady: [],
  present: [],
});

/** Returns the database life of an epoch; each failover begins another. */
export function lifeOf({ epochs }: History, epoch: string): number {
  if (!epochs.includes(epoch)) epochs.push(epoch);
  return epochs.indexOf(epoch);
}
