/** Closes connections that announce more attachments than one, a file’s chunk: Socket.IO would buffer up to ten. */
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
