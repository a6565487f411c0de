/**
 * Closes connections that announce more than one attachment. Socket.IO allows ten, and buffers them until the last has
 * arrived. A command has at most one: the bytes of a chunk.
 */
import type { Io } from './chat-socket.ts';

interface Parser {
  Decoder: new (options?: { maxAttachments: number }) => object;
}

export function allowOneAttachment(io: Io): void {
  const server = io as unknown as { _parser: Parser };
  const { Decoder } = server._parser;
  server._parser = {
    ...server._parser,
    Decoder: class extends Decoder {
      constructor() {
        super({ maxAttachments: 1 });
      }
    },
  };
}
