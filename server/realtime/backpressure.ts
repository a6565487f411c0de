/**
 * Clients that do not keep up. What waits for one of them is bounded: first it hears less, then it is
 * closed, comes back and catches up by version. The others notice nothing.
 */
import type { EventEmitter } from 'node:events';
import type { App } from '../app.ts';
import { every } from '../node/timer.ts';
import type { Stop } from '../node/clock.ts';
import type { ChatSocket } from '../command.ts';
import { attempt } from '../node/attempt.ts';
import { beside } from '../features.ts';
import { closeSocket, tellWholePresence } from './publish.ts';
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

/** The ids of those that hear nothing lossy now; since when each stands still, with how much handed on to it. */
export interface Slow {
  behind: Set<string>;
  stuck: Map<string, { since: number; bytes: number }>;
}

export const newSlow = (): Slow => ({ behind: new Set(), stuck: new Map() });

export const watchSlow = (app: App): Stop =>
  every(app, 1_000, 'slow', async () => {
    const sockets = [...app.io.of('/').sockets.values()];
    for (const socket of sockets) judge(app, socket, app.clock.now());
    const here = new Set(sockets.map(({ id }) => id));
    for (const id of app.slow.stuck.keys()) if (!here.has(id)) app.slow.stuck.delete(id);
    for (const id of app.slow.behind) if (!here.has(id)) app.slow.behind.delete(id);
  });

function judge(app: App, socket: ChatSocket, now: number): void {
  const { slow, log } = app;
  const { writeBuffer, transport } = engineOf(socket);
  const bytes = handedOn(socket);
  if (transport.writable) slow.stuck.delete(socket.id);
  else if (bytes !== slow.stuck.get(socket.id)?.bytes)
    slow.stuck.set(socket.id, { since: now, bytes });
  if (writeBuffer.length > manyPackets) slow.behind.add(socket.id);
  else if (slow.behind.delete(socket.id)) void attempt(app, 'slow', () => makeUp(app, socket));
  const stuck = now - (slow.stuck.get(socket.id)?.since ?? now);
  const isOver =
    writeBuffer.length > most.packets || stuck > most.stuck || bytesWaiting(socket) > most.bytes;
  if (!isOver) return;
  log.info({ userId: socket.data.caller.user.id, packets: writeBuffer.length, stuck }, 'too slow');
  closeSocket(socket, {
    code: 'slow',
    reason: 'Your connection is too slow to keep up.',
    retry: true,
  });
  // Not when all that waits is out: that may be never.
  socket.request.socket.destroy();
}

/** What it did not hear of who is online. */
async function makeUp(app: App, socket: ChatSocket): Promise<void> {
  for (const room of socket.rooms as Set<Room>) {
    const { kind, id } = splitRoom(room);
    const whole = await beside[kind]?.(app, id);
    if (whole !== undefined) tellWholePresence(socket, room, whole().presence);
  }
}
