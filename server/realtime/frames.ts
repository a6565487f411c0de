import type { Io } from './chat-socket.ts';

/** What Socket.IO's adapter keeps to itself: how a broadcast is encoded, once for all who hear it. */
interface Encoding {
  _encode(packet: unknown, options: { wsPreEncodedFrame?: Buffer[] }): unknown;
}

/**
 * Makes the frame of a broadcast one buffer. Socket.IO has its head and its body in two, which every
 * connection would have to gather and write together: that costs more than all the rest of a delivery.
 */
export function frameInOnePiece(io: Pick<Io, 'of'>): void {
  const adapter = io.of('/').adapter as unknown as Encoding;
  const encode = adapter._encode.bind(adapter);
  adapter._encode = (packet, options) => {
    const encoded = encode(packet, options);
    if (options.wsPreEncodedFrame !== undefined)
      options.wsPreEncodedFrame = [Buffer.concat(options.wsPreEncodedFrame)];
    return encoded;
  };
}
