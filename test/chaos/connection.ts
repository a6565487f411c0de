/**
 * A client's connection by the client's own rules (client/connection, client/session/socket.ts), without a browser:
 * after each loss it waits a while and tries again, and commands go out only when it is ready.
 */
import { io, type Socket } from 'socket.io-client';
import { waitBefore } from '../../client/sync/backoff.ts';
import { NoResponse } from '../../client/sync/connection.ts';
import { ChatError } from '../../shared/failure.ts';
import {
  protocolVersion,
  type ClientToServerEvents,
  type Closing,
  type CommandName,
  type Input,
  type Output,
  type Ready,
  type Refusal,
  type Result,
  type ServerToClientEvents,
} from '../../shared/protocol.ts';

/** As in client/session/socket.ts and client/connection. Milliseconds. */
const patience = { answer: 5_000, ready: 10_000, connect: 8_000 };

export interface Entrance {
  url: string;
  /** The address that people use, if `url` is a wire to it. */
  origin: string;
  cookie: string;
}

export class Connection {
  readonly socket: Socket<ServerToClientEvents, ClientToServerEvents>;
  isOpen = false;
  /** Why the server wants to see no more of us. */
  ended: string | undefined;
  isWanted = false;
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;
  #closing: Closing | undefined;
  readonly #waiters = new Set<() => void>();

  constructor(
    { url, origin, cookie }: Entrance,
    { ready, lost }: { ready: (ready: Ready) => void; lost: () => void },
  ) {
    this.socket = io(url, {
      transports: ['websocket'],
      autoConnect: false,
      forceNew: true,
      reconnection: false,
      timeout: patience.connect,
      auth: { protocol: protocolVersion },
      extraHeaders: { origin, cookie },
    });
    this.socket.on('ready', (said) => {
      clearTimeout(this.#timer);
      this.#attempt = 0;
      this.isOpen = true;
      ready(said);
      this.#goOn();
    });
    this.socket.on('closing', (closing) => {
      this.#closing = closing;
      this.isOpen = false;
    });
    this.socket.on('disconnect', () => {
      this.isOpen = false;
      lost();
      this.#lost();
    });
    this.socket.on('connect_error', (error) =>
      this.#refused((error as Error & { data?: Refusal }).data),
    );
  }

  open(): void {
    this.isWanted = true;
    this.#try();
  }

  close(): void {
    this.isWanted = false;
    clearTimeout(this.#timer);
    this.socket.disconnect();
  }

  /** @throws NoResponse, or the server's refusal */
  async ask<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
    await this.#opened();
    // One command's types cannot be followed through Socket.IO's overloads.
    const emitter = this.socket.timeout(patience.answer) as unknown as {
      emitWithAck(command: C, input: Input<C>): Promise<Result<Output<C>>>;
    };
    const result = await emitter.emitWithAck(command, input).catch(() => {
      throw new NoResponse(this.isOpen ? 'late' : 'lost');
    });
    if (result.ok) return result.value;
    const { code, message, field, retryAfterMs } = result.error;
    throw new ChatError(code, message, { field, retryAfterMs });
  }

  #opened(): Promise<void> {
    if (this.isOpen) return Promise.resolve();
    const over = () => new ChatError('unauthenticated', `The connection ended: ${this.ended}.`);
    if (this.ended !== undefined) return Promise.reject(over());
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        if (this.ended === undefined) resolve();
        else reject(over());
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(go);
        reject(new NoResponse('lost'));
      }, patience.answer);
      this.#waiters.add(go);
    });
  }

  #goOn(): void {
    for (const go of this.#waiters) go();
    this.#waiters.clear();
  }

  #end(why: string): void {
    this.ended = why;
    this.#goOn();
  }

  #try(): void {
    clearTimeout(this.#timer);
    this.#closing = undefined;
    this.socket.connect();
    this.#timer = setTimeout(() => {
      const wasConnected = this.socket.connected;
      this.socket.disconnect();
      // Otherwise the loss is heard, and waited for there.
      if (!wasConnected) this.#wait(waitBefore(this.#attempt++));
    }, patience.ready);
  }

  #lost(): void {
    const closing = this.#closing;
    if (closing?.retry === false) this.#end(closing.code);
    else this.#wait(closing?.retryAfterMs ?? waitBefore(this.#attempt++));
  }

  #refused(refusal: Refusal | undefined): void {
    if (refusal?.code === 'unauthenticated') this.#end(refusal.code);
    else this.#wait(Math.max(refusal?.retryAfterMs ?? 0, waitBefore(this.#attempt++)));
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    if (this.isWanted && this.ended === undefined) this.#timer = setTimeout(() => this.#try(), ms);
  }
}
