/**
 * Clients that do not keep up. What waits for one of them is bounded: first it hears less, then it is
 * closed, comes back and catches up by version. The others notice nothing.
 */
import type { EventEmitter } from 'node:events';
import type { App, Io } from '../app.ts';
import { every } from '../node/timer.ts';
import type { Clock, Stop } from '../node/clock.ts';
import type { Logger } from '../node/log.ts';
import type { ChatSocket } from '../command.ts';
import { attempt } from '../node/attempt.ts';
import type { Penalties } from './penalties.ts';
import { closeSocket, emitPresenceSnapshot } from './sockets.ts';
import { limits } from '../../shared/limits.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';

/** What may wait for one client: packets, bytes, milliseconds without anything going out. */
const most = { packets: 1_000, bytes: 1_048_576 + limits.answerBytes, stuck: 10_000 };
/** From here on it hears nothing that is lossy. */
const manyPackets = 256;
/** While more than this waits for a client, no further question of it is begun. */
const enoughBytes = limits.answerBytes;

/** What engine.io holds for a client and has handed on: `bufferedAmount` alone knows nothing of the former. */
interface Engine {
  writeBuffer: { data?: unknown }[];
  transport: EventEmitter & { writable: boolean; socket?: { bufferedAmount: number } };
}

const engineOf = ({ conn }: ChatSocket) => conn as unknown as Engine;
const handedOn = (socket: ChatSocket) => engineOf(socket).transport.socket?.bufferedAmount ?? 0;
const bytesWaiting = (socket: ChatSocket) =>
  engineOf(socket).writeBuffer.reduce(
    (sum, { data }) => sum + (typeof data === 'string' ? Buffer.byteLength(data) : 0),
    handedOn(socket),
  );

/**
 * Resolves when a client has read what was said to it, but for little: before that no further question of it is
 * begun. So whoever asks for much and reads nothing has few answers waiting (command-queues.ts).
 */
export async function untilRead(socket: ChatSocket): Promise<void> {
  while (socket.connected && bytesWaiting(socket) > enoughBytes) await untilHandedOn(socket);
}

/** Whether so much waits for a client that no question of it would be begun. */
export const leavesUnread = (socket: ChatSocket): boolean => bytesWaiting(socket) > enoughBytes;

/** Who pays when a socket had to be closed: the account, and what it came in with. */
export const penaltyKeys = ({ data: { caller, credential } }: ChatSocket): string[] => [
  caller.user.id,
  ...(credential === undefined ? [] : [credential]),
];

/**
 * Resolves when all that was handed on has gone out, or the socket is gone. Told by the transport: to look again
 * and again would cost the most for those who read nothing at all.
 */
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

export interface Backpressure {
  /** The ids of the sockets that get no lossy events now. */
  behind: ReadonlySet<string>;
  /** Checks every socket each second; `resend` brings one that has caught up what it was not sent. */
  watch(resend: (socket: ChatSocket) => Promise<void>): Stop;
}

interface Needs {
  io: Io;
  penalties: Penalties;
  log: Logger;
  clock: Clock;
}

interface Part extends Needs {
  behind: Set<string>;
  /** Since when each socket stands still, with how much handed on to it. */
  stuck: Map<string, { since: number; bytes: number }>;
}

export function openBackpressure(needs: Needs): Backpressure {
  const part: Part = { ...needs, behind: new Set(), stuck: new Map() };
  const { behind, stuck } = part;
  return {
    behind,
    watch: (resend) =>
      every(needs, 1_000, 'slow', async () => {
        const sockets = [...needs.io.of('/').sockets.values()];
        for (const socket of sockets) {
          const wasBehind = behind.has(socket.id);
          check(part, socket);
          if (wasBehind && !behind.has(socket.id))
            void attempt(needs, 'slow', () => resend(socket));
        }
        const here = new Set(sockets.map(({ id }) => id));
        for (const id of stuck.keys()) if (!here.has(id)) stuck.delete(id);
        for (const id of behind) if (!here.has(id)) behind.delete(id);
      }),
  };
}

function check({ behind, stuck, clock, log, penalties }: Part, socket: ChatSocket): void {
  const now = clock.now();
  const { writeBuffer, transport } = engineOf(socket);
  const bytes = handedOn(socket);
  if (transport.writable) stuck.delete(socket.id);
  else if (bytes !== stuck.get(socket.id)?.bytes) stuck.set(socket.id, { since: now, bytes });
  if (writeBuffer.length > manyPackets) behind.add(socket.id);
  else behind.delete(socket.id);
  const stuckMs = now - (stuck.get(socket.id)?.since ?? now);
  const isOver =
    writeBuffer.length > most.packets || stuckMs > most.stuck || bytesWaiting(socket) > most.bytes;
  if (!isOver) return;
  const { id: userId } = socket.data.caller.user;
  log.info({ userId, packets: writeBuffer.length, stuck: stuckMs }, 'too slow');
  const retryAfterMs = penalties.add(penaltyKeys(socket));
  closeSocket(socket, {
    code: 'slow',
    reason: 'Your connection is too slow to keep up.',
    retry: true,
    ...(retryAfterMs > 0 && { retryAfterMs }),
  });
  // Not when all that waits is out: that may be never.
  socket.request.socket.destroy();
}

/** Sends a socket that was behind who is online, in each of its rooms. */
export async function resendPresence(app: App, socket: ChatSocket): Promise<void> {
  for (const room of socket.rooms as Set<Room>) {
    const { kind, id } = splitRoom(room);
    const read = await app.features.rooms.ephemeral[kind]?.(app, app.db, id);
    if (read !== undefined) emitPresenceSnapshot(socket, room, read().presence);
  }
}
