/**
 * The connection of every client: when it is open, when it tries again, and what ends it. Starting, losing the
 * connection and coming back are one path: connect, then `ready` or a refusal, and after each loss a longer wait.
 */
import type { Socket } from 'socket.io-client';
import { ChatError } from '../../shared/failure.ts';
import type {
  ClientToServerEvents,
  Closing,
  CommandName,
  Input,
  Output,
  protocolVersion,
  Ready,
  Refusal,
  Result,
  ServerToClientEvents,
} from '../../shared/protocol.ts';
import { waitBefore } from './backoff.ts';

export const protocol: typeof protocolVersion = 1;

/** Socket.IO connects once when it is told to: whether it tries again is decided here. */
export const socketOptions = {
  transports: ['websocket'],
  autoConnect: false,
  reconnection: false,
  timeout: 8_000,
};

export type ClientSocket = Socket<ServerToClientEvents, ClientToServerEvents>;

export type ConnectionState =
  | { is: 'closed' }
  /** Until `ready` was taken in. `renewed`: the server said that there is a new cookie. */
  | { is: 'connecting'; renewed: boolean; retryIfRefused?: boolean }
  | { is: 'ready' }
  /** The server has announced that it closes the socket. */
  | { is: 'closing'; closing: Closing }
  /** Connecting failed, or the connection broke: it tries again then. */
  | { is: 'waiting'; nextTryAt: number; why: string | ConnectError }
  /** The server wants no more of us: it does not try again by itself. */
  | Ended;

/** The server said so on the open connection, or to who connects. */
type Ending = { closing: Closing; refusal?: undefined } | { refusal: Refusal; closing?: undefined };
export type Ended = { is: 'ended' } & Ending;

/** As Socket.IO has it: a refusal is the server's, a description the network's. */
export type ConnectError = Error & { data?: Refusal; description?: unknown };

export interface ConnectionHandlers {
  /** Does what must be done before `ready` can be taken in, if it can. Events are buffered until then. */
  prepare(ready: Ready): Promise<unknown>;
  ready(ready: Ready): void;
  changed(state: ConnectionState): void;
}

/** Nothing came back: the server may or may not have done it. */
export class NoResponse extends Error {
  /** `lost`: the connection broke under the request, or there was none. `late`: it took too long. */
  readonly how: 'lost' | 'late';

  constructor(how: 'lost' | 'late') {
    super(how === 'lost' ? 'No connection to the server.' : 'No answer from the server.');
    this.name = 'NoResponse';
    this.how = how;
  }
}

const readyTimeoutMs = 10_000;

type EventName = keyof ServerToClientEvents;
type Payload<E extends EventName> = Parameters<ServerToClientEvents[E]>[0];

export class Connection {
  readonly #socket: ClientSocket;
  readonly #handlers: ConnectionHandlers;
  readonly #ackTimeoutMs: number;
  readonly #listeners = new Map<string, ((payload: never) => void)[]>();
  /** Commands that wait for the connection. */
  readonly #waiting = new Set<() => void>();
  #state: ConnectionState = { is: 'closed' };
  #buffered: [event: string, payload: unknown][] = [];
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: ClientSocket, handlers: ConnectionHandlers, { ackTimeoutMs = 5_000 } = {}) {
    this.#socket = socket;
    this.#handlers = handlers;
    this.#ackTimeoutMs = ackTimeoutMs;
    socket.on('ready', (ready) => void this.#onReady(ready));
    socket.on('closing', (closing) => this.#enter({ is: 'closing', closing }));
    socket.on('disconnect', (reason) => this.#onDisconnect(reason));
    socket.on('connect_error', (error) => this.#onRefused(error));
    socket.onAny((event: string, payload: unknown) => this.#receive(event, payload));
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Whether a command would go out at once. */
  get isReady(): boolean {
    return this.#state.is === 'ready';
  }

  /** Connects now: when it is closed, has ended, or waits for the next try. */
  open() {
    this.#connect();
  }

  close() {
    clearTimeout(this.#timer);
    this.#stop({ is: 'closed' });
  }

  /** Another connection in place of this one. */
  reconnect() {
    const state = this.#state;
    this.#attempt = 0;
    // The server has seen the new cookie already; but if it is the old one that is on its way, there is another try.
    if (state.is === 'connecting' && state.renewed) state.retryIfRefused = true;
    else this.#renew();
  }

  /** Calls `listener` with what the server says, from `ready` on: that itself when commands may go out. */
  on = <E extends EventName>(event: E, listener: (payload: Payload<E>) => void) => {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  };

  /**
   * Sends a command when the connection is ready (rule 4 of the client, docs/architecture.md): never earlier, because
   * Socket.IO would keep it and send it before we have caught up.
   * @throws ChatError the server's refusal
   * @throws NoResponse
   */
  send = async <C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> => {
    await this.#whenReady();
    // One command's types cannot be followed through Socket.IO's overloads; this function's have checked them.
    const emitter = this.#socket.timeout(this.#ackTimeoutMs) as unknown as {
      emitWithAck(command: C, input: Input<C>): Promise<Result<Output<C>>>;
    };
    const result = await emitter.emitWithAck(command, input).catch(() => {
      throw new NoResponse(this.isReady ? 'late' : 'lost');
    });
    if (result.ok) return result.value;
    const { code, message, ...detail } = result.error;
    throw new ChatError(code, message, detail);
  };

  #whenReady(): Promise<void> {
    if (this.isReady) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(go);
        reject(new NoResponse('lost'));
      }, this.#ackTimeoutMs);
      this.#waiting.add(go);
    });
  }

  #enter(state: ConnectionState) {
    this.#state = state;
    this.#handlers.changed(state);
  }

  #connect(renewed = false) {
    this.#buffered = [];
    this.#setTimer(readyTimeoutMs, () => this.#lose('no answer'));
    this.#enter({ is: 'connecting', renewed });
    this.#socket.connect();
  }

  async #onReady(ready: Ready) {
    const state = this.#state;
    if (state.is !== 'connecting') return;
    clearTimeout(this.#timer);
    if (!(await this.#handlers.prepare(ready)) || this.#state !== state) return;
    this.#attempt = 0;
    this.#handlers.ready(ready);
    for (const [event, payload] of this.#buffered) this.#tell(event, payload);
    this.#enter({ is: 'ready' });
    for (const go of this.#waiting) go();
    this.#waiting.clear();
    this.#tell('ready', ready);
  }

  #receive(event: string, payload: unknown) {
    if (this.#state.is === 'connecting') this.#buffered.push([event, payload]);
    else this.#tell(event, payload);
  }

  #tell(event: string, payload: unknown) {
    for (const listener of this.#listeners.get(event) ?? []) listener(payload as never);
  }

  #onDisconnect(reason: string) {
    const state = this.#state;
    if (state.is === 'connecting' || state.is === 'ready') this.#lose(reason);
    if (state.is !== 'closing') return;
    const { closing } = state;
    if (!closing.retry) this.#end({ closing });
    else if (closing.code === 'renewed') this.#connect(true);
    else this.#lose(closing.reason, closing.retryAfterMs);
  }

  #onRefused(error: ConnectError) {
    const state = this.#state;
    const { data: refusal } = error;
    if (state.is !== 'connecting') return;
    if (state.retryIfRefused) this.#renew();
    else if (refusal?.supported ?? refusal?.code === 'unauthenticated') this.#end({ refusal });
    else this.#lose(error, Math.max(refusal?.retryAfterMs ?? 0, waitBefore(this.#attempt++)));
  }

  #renew() {
    this.#state = { is: 'closed' };
    this.#socket.disconnect();
    this.#connect();
  }

  #lose(why: string | ConnectError, waitMs = waitBefore(this.#attempt++)) {
    this.#setTimer(waitMs, () => this.#connect());
    this.#stop({ is: 'waiting', nextTryAt: Date.now() + waitMs, why });
  }

  #end(ending: Ending) {
    clearTimeout(this.#timer);
    this.#stop({ is: 'ended', ...ending });
  }

  /** The state comes first, so that the socket's own end is no loss; and those who are told of it may go on at once. */
  #stop(state: ConnectionState) {
    this.#state = state;
    this.#socket.disconnect();
    this.#enter(state);
  }

  #setTimer(ms: number, act: () => void) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }
}
