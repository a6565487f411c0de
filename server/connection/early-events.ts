/** Holds the events for a socket from the join until `ready` is sent: rooms are joined before their state is read. */
import { limits } from '../../shared/limits.ts';
import { closeSocket } from '../realtime/sockets.ts';
import type { ChatSocket, Early, EarlyEvent } from '../realtime/chat-socket.ts';

/** The private method of Socket.IO that writes all packets of a connection; broadcasts are already encoded. */
interface Exit {
  writeToEngine(encoded: unknown, options: object): void;
}

/** Closes the socket beyond the size of one answer: the client reconnects and reads the events as part of the state. */
export function bufferEarly(socket: ChatSocket): Early {
  const exit = socket.client as unknown as Exit;
  const write = exit.writeToEngine.bind(exit);
  let buffered: EarlyEvent[] = [];
  let bytes = 0;
  /** The event whose packet is written next. Other packets are not held. */
  let next: EarlyEvent | undefined;

  const note = (...said: EarlyEvent) => {
    if (said[0] === 'closing') end();
    else next = said;
  };
  const buffer = (encoded: unknown, options: object) => {
    if (next === undefined) {
      write(encoded, options);
      return;
    }
    buffered.push(next);
    next = undefined;
    bytes += sizeOf(encoded);
    if (bytes > limits.answerBytes) closeSocket(socket, overflow);
  };
  const end = () => {
    socket.offAnyOutgoing(note);
    exit.writeToEngine = write;
    return buffered.splice(0);
  };

  socket.onAnyOutgoing(note);
  exit.writeToEngine = buffer;
  return {
    forget(event) {
      buffered = buffered.filter(([name]) => name !== event);
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
