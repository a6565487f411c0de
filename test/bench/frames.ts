import type { Socket } from 'node:net';
import type { Room } from '../../shared/rooms.ts';
import type { Context } from '../../server/caller.ts';

/** A whole text frame of a server (RFC 6455, 5.2), of 126 to 65,535 bytes. */
export function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  const header = Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([header, payload]);
}

/** A private field of `ws`. */
interface Transport {
  socket: { _socket: Socket };
}

export function writeToAll(context: Context, room: Room, frame: Buffer): void {
  for (const { conn } of context.node.sockets.in(room)) {
    const { socket } = conn.transport as unknown as Transport;
    socket._socket.write(frame);
  }
}
