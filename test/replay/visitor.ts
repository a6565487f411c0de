/** Somebody signed in, with one socket, which may be closed and opened again at any time. */
import { io, type Socket } from 'socket.io-client';
import { NoResponse } from '../../client/sync/connection.ts';
import { ChatError, type Failure } from '../../shared/failure.ts';
import {
  protocolVersion,
  type ClientToServerEvents,
  type CommandName,
  type Input,
  type Output,
  type Ready,
  type Result,
  type ServerToClientEvents,
} from '../../shared/protocol.ts';
import { patiently } from './patience.ts';

/** Milliseconds. An answer that takes longer may have been lost. */
const answerWithin = 10_000;

type ClientSocket = Socket<ServerToClientEvents, ClientToServerEvents>;

export class Visitor {
  readonly url: string;
  readonly cookie: string;
  #socket: ClientSocket | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;
  readonly #listen: (socket: ClientSocket) => void;

  /** `listen` is given each new socket before anything can be heard on it. */
  constructor(
    url: string,
    cookie: string,
    listen: (socket: ClientSocket) => void = () => undefined,
  ) {
    this.url = url;
    this.cookie = cookie;
    this.#listen = listen;
  }

  get isOpen() {
    return this.#socket?.connected ?? false;
  }

  /** Does it, even if the socket must be opened first or the answer is lost: see {@link patiently}. */
  ask<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
    this.#closed = false;
    return patiently(async () => {
      await this.#opened();
      return this.#emit(command, input);
    });
  }

  /** Sees to it that the socket is open. */
  open(): Promise<void> {
    this.#closed = false;
    return patiently(() => this.#opened());
  }

  /** What is being asked is given up. Asking again opens anew. */
  close() {
    this.#closed = true;
    this.#socket?.disconnect();
    this.#socket = undefined;
  }

  async #opened(): Promise<void> {
    if (this.#closed) throw new Error('It was given up.');
    if (this.#opening === undefined && this.isOpen) return;
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #connect(): Promise<void> {
    this.#socket?.disconnect();
    const socket: ClientSocket = io(this.url, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      auth: { protocol: protocolVersion },
      extraHeaders: { origin: new URL(this.url).origin, cookie: this.cookie },
    });
    this.#socket = socket;
    this.#listen(socket);
    await ready(socket).catch((error: unknown) => {
      socket.disconnect();
      throw error;
    });
  }

  async #emit<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
    // One command's types cannot be followed through Socket.IO's overloads; `ask` has checked them.
    const emitter = this.#socket?.timeout(answerWithin) as unknown as {
      emitWithAck(command: C, input: Input<C>): Promise<Result<Output<C>>>;
    };
    const result = await emitter.emitWithAck(command, input).catch(() => {
      throw new NoResponse(this.isOpen ? 'late' : 'lost');
    });
    if (result.ok) return result.value;
    throw toError(result.error);
  }
}

function ready(socket: ClientSocket): Promise<Ready> {
  return new Promise<Ready>((resolve, reject) => {
    const late = setTimeout(() => reject(new NoResponse('late')), answerWithin);
    const refuse = (error: Error) => {
      clearTimeout(late);
      reject(error);
    };
    socket.once('ready', (ready) => {
      clearTimeout(late);
      resolve(ready);
    });
    socket.once('disconnect', () => refuse(new NoResponse('lost')));
    socket.once('connect_error', (error: Error & { data?: Failure }) =>
      refuse(error.data === undefined ? new NoResponse('lost') : toError(error.data)),
    );
  });
}

const toError = ({ code, message, field, retryAfterMs, requestId }: Failure) =>
  new ChatError(code, message, { field, retryAfterMs, requestId });
