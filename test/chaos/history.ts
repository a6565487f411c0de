/** What is written down while it happens. All times are milliseconds since the beginning of the run. */
import type { Message } from '../../shared/messages.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import type { Status } from '../../shared/presence.ts';
import type { Room } from '../../shared/rooms.ts';

export type OperationKind =
  'send' | 'edit' | 'delete' | 'join' | 'leave' | 'kick' | 'ban' | 'end session';

/** What somebody wanted, and what came of it. */
export interface Operation {
  deed: OperationKind;
  /** Who is concerned: the author, or who comes or goes. */
  userId: string;
  timelineId?: string;
  messageId?: string;
  /** What a send or an edit says: no two say the same. */
  body?: string;
  /** Whose connection is to be closed: that of an ended session. */
  device?: string;
  asked: number;
  answered?: number;
  /** How often it was asked, also at other nodes. */
  attempts: number;
  answers: AnsweredMessage[];
  /** The code of the answer, if it was no. */
  refused?: string;
}

/** The message as an answer has it, and of which life of the database: how many failovers were before. */
export type AnsweredMessage = Message & { life: number };

/** A change of a message, as somebody heard it. */
export interface HeardChange {
  version: number;
  messageId: string;
  position: number;
  /** Empty: deleted. */
  body: string;
}

export const toldIn = ({ changes }: RoomChanges): HeardChange[] =>
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

/** Something that a client was told without asking. */
export interface HeardEvent {
  at: number;
  who: string;
  room: Room;
  from: number;
  to: number;
  told: HeardChange[];
  life: number;
}

/** What became of a client's connection, or of a room that it was in. */
export interface ConnectionTurn {
  at: number;
  who: string;
  what: 'ready' | 'lost' | 'entered' | 'moved out';
  room?: Room;
}

/** Somebody who read nothing while much was said. */
export interface Stall {
  who: string;
  /** When all had been said. */
  at: number;
  /** When the others saw them as offline, if they did. */
  closed?: number;
  /** When they held all of it, if they did. */
  back?: number;
}

/** A standby took the primary’s place, or a backup did. */
export interface Failover {
  /** Nothing of what was committed after this reached it. A synchronous one has all that was acknowledged. */
  lagging: number;
  /** When the nodes reached it. */
  at: number;
  /** What the former primary had at last, and what the standby had of it. */
  before: Stored;
  kept: Stored;
}

/** Some faults together, and how long it took afterwards until everybody held everything. */
export interface Injection {
  /** Their names, and how often each fired. */
  fired: Record<string, number>;
  injected: number;
  mended: number;
  /** Everybody is connected and has what was acknowledged before `mended`. */
  healed?: number;
  /** Otherwise: who was not, and why. */
  lacking?: string;
  /** Whether nothing was said from before it was mended until it was healed. */
  quietly: boolean;
}

/** A client when all is over. */
export interface Holding {
  who: string;
  userId: string;
  connected: boolean;
  /** Ids of servers, and who is in them in which role. */
  servers: string[];
  members: Record<string, string>;
  /** By timeline, as far back as it was read; nothing for one that is not entered. */
  timelines: Record<string, readonly Message[]>;
  versions: Partial<Record<Room, number>>;
  presence: Record<string, Status>;
}

/** What the database says when all is over. */
export interface Stored {
  serverId: string;
  members: Record<string, string>;
  timelines: { id: string; version: number; lastPosition: number; messages: Message[] }[];
}

export interface History {
  seed: number;
  /** Until when nothing was done to anybody. */
  calmUntil: number;
  operations: Operation[];
  hearings: HeardEvent[];
  turns: ConnectionTurn[];
  injections: Injection[];
  stalls: Stall[];
  failovers: Failover[];
  /** As clients were told them, in their order. */
  epochs: string[];
  /** When everybody held everything at the end, and saw who was there. */
  settled: number;
  /** Processes that ended though nobody had ended them. */
  crashes: { at: number; what: string }[];
  /** Nodes that were not ready when all was over, and why. */
  notReady: string[];
  /** Who was there when all was over, by user id. */
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
  hearings: [],
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

/** Which life of the database an epoch is of: each failover begins another. */
export function lifeOf({ epochs }: History, epoch: string): number {
  if (!epochs.includes(epoch)) epochs.push(epoch);
  return epochs.indexOf(epoch);
}
