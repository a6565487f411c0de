/**
 * Socket.IO buffers the attachments of a packet until the last one has arrived, and allows ten. A command has at most
 * one: the bytes of a chunk (shared/files.ts).
 */
import type { Io } from './chat-socket.ts';

/** The private part of Socket.IO that creates a decoder for each connection. */
interface Parser {
  Decoder: new (options?: { maxAttachments: number }) => object;
}

/** Closes a connection that announces more than one attachment. */
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
