/** Closes connections whose packet has more than one attachment: a chunk of a file is one; Socket.IO buffers ten. */
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
