/** Bounds the data that waits for a slow client: it gets no lossy events, then is closed and catches up by version. */
import type { EventEmitter } from 'node:events';
import { every, type StopWork } from '../node/timer.ts';
import type { Clock } from '../node/clock.ts';
import type { Logger } from '../node/log.ts';
import { attempt } from '../node/attempt.ts';
import type { Penalties } from '../admission/penalties.ts';
import { limits } from '../../shared/limits.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { closeSocket, emitPresenceSnapshot } from './sockets.ts';
import type { ChatSocket, Io } from './chat-socket.ts';
import type { RoomFeatures } from './room-features.ts';

/** The bounds for one client: waiting packets, waiting bytes, and milliseconds without anything being sent. */
const max = { packets: 1_000, bytes: 1_048_576 + limits.answerBytes, stuck: 10_000 };
/** With more waiting packets, a client gets no lossy events. */
const manyPackets = 256;
/** While more bytes wait for a client, its next command is not started. */
const enoughBytes = limits.answerBytes;

/** engine.io's own queue, and the socket that it writes to: `bufferedAmount` does not count the queue. */
interface Engine {
  writeBuffer: { data?: unknown }[];
  transport: EventEmitter & { writable: boolean; socket?: { bufferedAmount: number } };
}

const engineOf = ({ conn }: ChatSocket) => conn as unknown as Engine;
const socketBufferedBytes = (socket: ChatSocket) =>
  engineOf(socket).transport.socket?.bufferedAmount ?? 0;
const bytesWaiting = (socket: ChatSocket) =>
  engineOf(socket).writeBuffer.reduce(
    (sum, { data }) => sum + (typeof data === 'string' ? Buffer.byteLength(data) : 0),
    socketBufferedBytes(socket),
  );

/** Resolves when a client has read most of its data. Bounds the answers that wait for a client that reads nothing. */
export async function untilRead(socket: ChatSocket): Promise<void> {
  while (socket.connected && bytesWaiting(socket) > enoughBytes) await untilHandedOn(socket);
}

export const leavesUnread = (socket: ChatSocket): boolean => bytesWaiting(socket) > enoughBytes;

export const penaltyKeys = ({ data: { caller, credential } }: ChatSocket): string[] => [
  caller.user.id,
  ...(credential === undefined ? [] : [credential]),
];

/** Waits for an event of the transport or socket, because polling costs most for clients that read nothing. */
function untilHandedOn(socket: ChatSocket): Promise<void> {
  const { transport } = engineOf(socket);
  return new Promise((resolve) => {
    const end = () => {
      transport.off('drain', end);
      socket.off('disconnect', end);
      resolve();
    };
    transport.on('drain', end);
    socket.on('disconnect', end);
  });
}

interface Needs {
  io: Io;
  penalties: Penalties;
  log: Logger;
  clock: Clock;
}

export class Backpressure {
  readonly #needs: Needs;
  /** The ids of the sockets that get no lossy events now. */
  readonly behind = new Set<string>();
  /** Since when each socket has sent nothing, and how many bytes wait in its transport. */
  readonly #stuck = new Map<string, { since: number; bytes: number }>();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Checks every socket each second. `resend` sends a socket that has caught up the events that it missed. */
  watch(resend: (socket: ChatSocket) => Promise<void>): StopWork {
    return every(this.#needs, 1_000, 'slow', async () => {
      const sockets = [...this.#needs.io.of('/').sockets.values()];
      for (const socket of sockets) {
        const wasBehind = this.behind.has(socket.id);
        this.#check(socket);
        if (wasBehind && !this.behind.has(socket.id))
          void attempt(this.#needs, 'slow', () => resend(socket));
      }
      const here = new Set(sockets.map(({ id }) => id));
      for (const id of this.#stuck.keys()) if (!here.has(id)) this.#stuck.delete(id);
      for (const id of this.behind) if (!here.has(id)) this.behind.delete(id);
    });
  }

  #check(socket: ChatSocket): void {
    const { clock, log, penalties } = this.#needs;
    const now = clock.now();
    const { writeBuffer, transport } = engineOf(socket);
    const bytes = socketBufferedBytes(socket);
    const stuck = this.#stuck;
    if (transport.writable) stuck.delete(socket.id);
    else if (bytes !== stuck.get(socket.id)?.bytes) stuck.set(socket.id, { since: now, bytes });
    if (writeBuffer.length > manyPackets) this.behind.add(socket.id);
    else this.behind.delete(socket.id);
    const stuckMs = now - (stuck.get(socket.id)?.since ?? now);
    const isOver =
      writeBuffer.length > max.packets || stuckMs > max.stuck || bytesWaiting(socket) > max.bytes;
    if (!isOver) return;
    const { id: userId } = socket.data.caller.user;
    log.info(
      { userId, packets: writeBuffer.length, stuck: stuckMs },
      'closed the connection: client too slow',
    );
    const retryAfterMs = penalties.add(penaltyKeys(socket));
    closeSocket(socket, {
      code: 'slow',
      reason: 'Your connection is too slow to keep up.',
      retry: true,
      ...(retryAfterMs > 0 && { retryAfterMs }),
    });
    // At once, since the waiting data may never be sent.
    socket.request.socket.destroy();
  }
}

export async function resendPresence(
  { features }: { features: { rooms: Pick<RoomFeatures, 'ephemeral'> } },
  socket: ChatSocket,
): Promise<void> {
  const { db } = socket.data.caller;
  for (const room of socket.rooms as Set<Room>) {
    const { kind, id } = splitRoom(room);
    const read = await features.rooms.ephemeral[kind]?.(db, id);
    if (read === undefined) continue;
    const { presence: users, presenceVersion: version } = read();
    emitPresenceSnapshot(socket, { room, users, version });
  }
}
