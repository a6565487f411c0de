/** The typed socket: `send` a command, get its value or a ChatError. Connecting is connection/'s business. */
import { io, type Socket } from 'socket.io-client';
import { ChatError } from '../../shared/failure.ts';
import type {
  ClientToServerEvents,
  CommandName,
  Input,
  Output,
  protocolVersion,
  Result,
  ServerToClientEvents,
} from '../../shared/protocol.ts';
import { placeAt } from '../navigation/routes.ts';
import { NoAnswer } from './error-text.ts';

const patience = 5_000;
const protocol: typeof protocolVersion = 1;

/**
 * Never connects by itself: connection.svelte.ts decides when. A stranger is shown the invite that the address
 * names at that moment: none is kept for whoever uses this browser next.
 */
export const socket: Socket<ServerToClientEvents, ClientToServerEvents> = io({
  transports: ['websocket'],
  autoConnect: false,
  reconnection: false,
  timeout: 8_000,
  auth: (give) => {
    const place = placeAt(location.pathname);
    give({ protocol, ...(place.page === 'join' && { invite: place.code }) });
  },
});

let open = false;
const waiters = new Set<() => void>();
const openings = new Set<() => void>();

/** Whether a command would go out at once. */
export const isOpen = () => open;

/** Calls back each time the connection has become ready. */
export const whenOpened = (callback: () => void) => openings.add(callback);

/** `ready` was heard and taken in: commands may go out. */
export function letThrough(): void {
  open = true;
  for (const go of [...waiters, ...openings]) go();
  waiters.clear();
}

type Heard = [event: keyof ServerToClientEvents, words: unknown[]];

/** Keeps all that nobody listens to yet, until it is asked for. */
export function listenInstead(): () => Heard[] {
  const heard: Heard[] = [];
  const note = (event: keyof ServerToClientEvents, ...words: unknown[]) => {
    if (!socket.hasListeners(event)) heard.push([event, words]);
  };
  socket.onAny(note);
  return () => {
    socket.offAny(note);
    return heard;
  };
}

export function playAgain([event, words]: Heard): void {
  for (const listener of socket.listeners(event) as ((...words: unknown[]) => void)[])
    listener(...words);
}

/** The connection is lost: commands wait. */
export function holdBack(): void {
  open = false;
}

/**
 * Sends a command when the connection is ready: never earlier, because Socket.IO would keep it and send it
 * again before we have caught up.
 */
export async function send<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
  await whenReady();
  const result = await emit(command, input);
  if (result.ok) return result.value;
  const { code, message, field, retryAfterMs, requestId } = result.error;
  throw new ChatError(code, message, { field, retryAfterMs, requestId });
}

async function emit<C extends CommandName>(
  command: C,
  input: Input<C>,
): Promise<Result<Output<C>>> {
  // One command's types cannot be followed through Socket.IO's overloads; `send` has checked them.
  const emitter = socket.timeout(patience) as unknown as {
    emitWithAck(command: C, input: Input<C>): Promise<Result<Output<C>>>;
  };
  try {
    return await emitter.emitWithAck(command, input);
  } catch {
    throw new NoAnswer(open ? 'late' : 'lost');
  }
}

function whenReady(): Promise<void> {
  if (open) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const go = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiters.delete(go);
      reject(new NoAnswer('lost'));
    }, patience);
    waiters.add(go);
  });
}
