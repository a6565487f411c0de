/**
 * The connection of every client: when it is open, when it retries, and when it ends. Starting, losing the connection
 * and reconnecting are one path: connect, then `ready` or a refusal. After each loss, wait longer and retry.
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
import type { Pace } from './pace.ts';

export const protocol: typeof protocolVersion = 1;

/** Socket.IO connects once per request, because this class decides about retries. */
export const socketOptions = {
  transports: ['websocket'],
  autoConnect: false,
  reconnection: false,
  timeout: 8_000,
};

export type ClientSocket = Socket<ServerToClientEvents, ClientToServerEvents>;

export type ConnectionState =
  | { is: 'closed' }
  /** Until `ready` has been handled. `renewed`: the server has announced a new cookie. */
  | { is: 'connecting'; renewed: boolean; retryIfRefused?: boolean }
  | { is: 'ready' }
  /** The server has announced that it closes the socket. */
  | { is: 'closing'; closing: Closing }
  /** Connecting failed or the connection broke. It retries at `nextTryAt`. */
  | { is: 'waiting'; nextTryAt: number; why: string | ConnectError }
  /** The server has refused this client or ended its session, so it does not retry automatically. */
  | ConnectionEnd;

type Ending = { closing: Closing; refusal?: undefined } | { refusal: Refusal; closing?: undefined };
export type ConnectionEnd = { is: 'ended' } & Ending;

/** Socket.IO's error: `data` is a refusal by the server, `description` a network error. */
export type ConnectError = Error & { data?: Refusal; description?: unknown };

export interface ConnectionHandlers {
  /** Prepares everything that `ready` needs, if possible. Events are buffered until then. */
  prepare(ready: Ready): Promise<unknown>;
  ready(ready: Ready): void;
  changed(state: ConnectionState): void;
}

/** No response arrived. The server can have executed the command or not. */
export class NoResponse extends Error {
  /** `lost`: the connection broke during the request, or there was none. `late`: the response timed out. */
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
  readonly #pace: Pace | undefined;
  readonly #listeners = new Map<string, ((payload: never) => void)[]>();
  readonly #waiting = new Set<() => void>();
  /** The time of the last packet, as `performance.now()`. */
  #lastPacketAt = 0;
  /** Before this `performance.now()`, silence does not end the connection, because `file:` commands can take long. */
  #slowUntil = 0;
  #state: ConnectionState = { is: 'closed' };
  #buffered: [event: string, payload: unknown][] = [];
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Without `pace`, events are passed on as soon as they arrive. */
  constructor(
    socket: ClientSocket,
    handlers: ConnectionHandlers,
    { ackTimeoutMs = 5_000, pace }: { ackTimeoutMs?: number; pace?: Pace } = {},
  ) {
    this.#socket = socket;
    this.#handlers = handlers;
    this.#ackTimeoutMs = ackTimeoutMs;
    this.#pace = pace;
    socket.on('ready', (ready) => void this.#onReady(ready));
    socket.on('closing', (closing) => this.#enter({ is: 'closing', closing }));
    socket.on('disconnect', (reason) => this.#onDisconnect(reason));
    socket.on('connect_error', (error) => this.#onRefused(error));
    socket.onAny((event: string, payload: unknown) => this.#receive(event, payload));
    const onPacket = () => (this.#lastPacketAt = performance.now());
    socket.io.on('packet', onPacket);
    socket.io.on('ping', onPacket);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get isReady(): boolean {
    return this.#state.is === 'ready';
  }

  /** Connects now if it is closed, has ended or waits for the next attempt. */
  open() {
    this.#connect();
  }

  close() {
    clearTimeout(this.#timer);
    this.#stop({ is: 'closed' });
  }

  reconnect() {
    const state = this.#state;
    this.#attempt = 0;
    // The server can have set the new cookie already. A request that still carries the old one is refused: retry then.
    if (state.is === 'connecting' && state.renewed) state.retryIfRefused = true;
    else this.#renew();
  }

  /** Replaces the connection unless a packet arrives in time: it can look open although a proxy has dropped it. */
  expectPacket(withinMs: number) {
    const [since, { id }] = [performance.now(), this.#socket];
    const lookAgain = () => {
      if (this.#socket.id === id) this.#loseIfSilent(since, 0);
    };
    // After the device wakes up, a timer can fire before a packet that has arrived is read.
    if (this.isReady) setTimeout(() => setTimeout(lookAgain, 50), withinMs);
  }

  /** Passes `ready` on once commands can be sent, and other events after it. */
  on = <E extends EventName>(event: E, listener: (payload: Payload<E>) => void) => {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  };

  /**
   * Sends a command when the connection is ready (rule 4 of the client, docs/architecture.md). Never earlier, because
   * Socket.IO would buffer it and send it before the client has caught up.
   * @throws ChatError the server's refusal
   * @throws NoResponse
   */
  send = async <C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> => {
    await this.#whenReady();
    // TypeScript cannot resolve a generic command in Socket.IO’s overloads. This function’s signature checks the types.
    const emitter = this.#socket.timeout(this.#ackTimeoutMs) as unknown as {
      emitWithAck(command: C, input: Input<C>): Promise<Result<Output<C>>>;
    };
    const since = performance.now();
    if (command.startsWith('file:')) this.#slowUntil = since + 2 * this.#ackTimeoutMs;
    const result = await emitter.emitWithAck(command, input).catch(() => undefined);
    // Passes on first what the server sent before the response.
    this.#pace?.flush();
    if (!result) {
      this.#loseIfSilent(since);
      throw new NoResponse(this.isReady ? 'late' : 'lost');
    }
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
    this.#pace?.flush();
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
    for (const [event, payload] of this.#buffered) this.#dispatch(event, payload);
    this.#enter({ is: 'ready' });
    for (const go of this.#waiting) go();
    this.#waiting.clear();
    this.#dispatch('ready', ready);
  }

  #receive(event: string, payload: unknown) {
    if (this.#state.is === 'connecting') this.#buffered.push([event, payload]);
    else if (this.#pace) this.#pace.run(() => this.#dispatch(event, payload));
    else this.#dispatch(event, payload);
  }

  #dispatch(event: string, payload: unknown) {
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

  /** Replaces the connection if no packet arrived after `since`, because the connection or the server has failed. */
  #loseIfSilent(since: number, waitMs?: number) {
    if (this.isReady && this.#lastPacketAt < since && this.#slowUntil < performance.now())
      this.#lose('no answer', waitMs);
  }

  #end(ending: Ending) {
    clearTimeout(this.#timer);
    this.#stop({ is: 'ended', ...ending });
  }

  /** Sets the state first, so that the disconnect is not treated as a loss, and listeners can reconnect at once. */
  #stop(state: ConnectionState) {
    this.#pace?.flush();
    this.#state = state;
    this.#socket.disconnect();
    this.#enter(state);
  }

  #setTimer(ms: number, act: () => void) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }
}
