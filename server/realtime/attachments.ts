/**
 * Closes connections that announce more than one attachment. Socket.IO buffers the attachments of a packet until the
 * last one has arrived, and allows ten. A command has at most one: the bytes of a chunk (shared/files.ts).
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
