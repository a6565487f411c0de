/**
 * Clients that do not keep up. What waits for one of them is bounded: first it hears less, then it is
 * closed, comes back and catches up by version. The others notice nothing.
 */
import type { App } from './app.ts';
import { every } from './beat.ts';
import { attempt, type ChatSocket } from './command.ts';
import { beside } from './features.ts';
import { closeSocket, tellWholePresence } from './publish.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';

/** What may wait for one client: packets, bytes of broadcasts, milliseconds without anything going out. */
const most = { packets: 1_000, bytes: 1_048_576, stuck: 10_000 };
/** From here on it hears nothing that is lossy. */
const manyPackets = 256;

/** What engine.io holds for a client: `bufferedAmount` knows nothing of it. */
interface Engine {
  writeBuffer: { data?: unknown; options?: { wsPreEncodedFrame?: unknown } }[];
  transport: { writable: boolean };
}

/** The ids of those that hear nothing lossy now, and since when each that stands still does. */
export interface Slow {
  behind: Set<string>;
  stuckSince: Map<string, number>;
}

export const newSlow = (): Slow => ({ behind: new Set(), stuckSince: new Map() });

export const watchSlow = (app: App): NodeJS.Timeout =>
  every(app, 1_000, 'slow', async () => {
    const sockets = [...app.io.of('/').sockets.values()];
    for (const socket of sockets) judge(app, socket, performance.now());
    const here = new Set(sockets.map(({ id }) => id));
    for (const id of app.slow.stuckSince.keys()) if (!here.has(id)) app.slow.stuckSince.delete(id);
    for (const id of app.slow.behind) if (!here.has(id)) app.slow.behind.delete(id);
  });

function judge(app: App, socket: ChatSocket, now: number): void {
  const { slow, log } = app;
  const { writeBuffer, transport } = socket.conn as unknown as Engine;
  if (transport.writable) slow.stuckSince.delete(socket.id);
  else if (!slow.stuckSince.has(socket.id)) slow.stuckSince.set(socket.id, now);
  if (writeBuffer.length > manyPackets) slow.behind.add(socket.id);
  else if (slow.behind.delete(socket.id)) void attempt(app, 'slow', () => makeUp(app, socket));
  const stuck = now - (slow.stuckSince.get(socket.id) ?? now);
  const isOver =
    writeBuffer.length > most.packets ||
    stuck > most.stuck ||
    broadcastBytes(writeBuffer) > most.bytes;
  if (!isOver) return;
  log.info({ userId: socket.data.caller.user.id, packets: writeBuffer.length, stuck }, 'too slow');
  closeSocket(socket, {
    code: 'slow',
    reason: 'The connection is too slow for all that happens here.',
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

/** A snapshot does not count: whoever is sent one that is too large would be sent it again and again. */
const broadcastBytes = (packets: Engine['writeBuffer']): number =>
  packets.reduce(
    (sum, { data, options }) =>
      sum +
      (options?.wsPreEncodedFrame !== undefined && typeof data === 'string' ? data.length : 0),
    0,
  );
