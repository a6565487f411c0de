/**
 * Holds the events for a socket until `ready` is sent. A socket joins its rooms before their state is read, so that no
 * change is missed. Events from then on wait here and follow `ready`.
 */
import { limits } from '../../shared/limits.ts';
import { closeSocket } from '../realtime/sockets.ts';
import type { ChatSocket, Early, EarlyEvent } from '../realtime/chat-socket.ts';

/** The way out of Socket.IO: all that one connection is sent goes through here, each broadcast encoded once for all. */
interface Exit {
  writeToEngine(encoded: unknown, options: object): void;
}

/**
 * Begins to keep what is said to a socket, up to the size of one answer. Who would miss more than that is closed,
 * comes back, and reads it as part of the state. The reason for a closing is said at once.
 */
export function keepEarly(socket: ChatSocket): Early {
  const exit = socket.client as unknown as Exit;
  const write = exit.writeToEngine.bind(exit);
  let kept: EarlyEvent[] = [];
  let bytes = 0;
  /** The event whose packet is written next. What is no event is not kept. */
  let next: EarlyEvent | undefined;

  const note = (...said: EarlyEvent) => {
    if (said[0] === 'closing') end();
    else next = said;
  };
  const keep = (encoded: unknown, options: object) => {
    if (next === undefined) {
      write(encoded, options);
      return;
    }
    kept.push(next);
    next = undefined;
    bytes += sizeOf(encoded);
    if (bytes > limits.answerBytes) closeSocket(socket, overflow);
  };
  const end = () => {
    socket.offAnyOutgoing(note);
    exit.writeToEngine = write;
    return kept.splice(0);
  };

  socket.onAnyOutgoing(note);
  exit.writeToEngine = keep;
  return {
    forget(event) {
      kept = kept.filter(([name]) => name !== event);
    },
    end,
  };
}

const sizeOf = (encoded: unknown): number =>
  [encoded].flat().reduce<number>((sum, part) => sum + Buffer.byteLength(part as string), 0);

const overflow = {
  code: 'slow',
  reason: 'Too much happened while connecting.',
  retry: true,
} as const;
