import type { Io } from './chat-socket.ts';

interface Encoding {
  _encode(packet: unknown, options: { wsPreEncodedFrame?: Buffer[] }): unknown;
}

/** Joins the two buffers of a frame: gathering them for each connection costs more than the rest of a delivery. */
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
