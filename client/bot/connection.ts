/**
 * The bot's connection: when it is open, when to try again, and what ends it for good. Like the browser's
 * (client/connection/), without anybody who looks at it.
 */
import { io, type Socket } from 'socket.io-client';
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
import { waitBefore } from '../sync/backoff.ts';
import { BotError, refused } from './failures.ts';

const protocol: typeof protocolVersion = 1;
const patience = 15_000;

export interface Hearing {
  ready(ready: Ready): void;
  /** It will come back by itself. */
  lost(why: string): void;
  /** It will not. */
  ended(error: BotError): void;
}

export class Connection {
  readonly socket: Socket<ServerToClientEvents, ClientToServerEvents>;
  readonly #url: string;
  readonly #hearing: Hearing;
  readonly #waiting = new Set<{ go: () => void; fail: (error: BotError) => void }>();
  #open = false;
  #everReady = false;
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;
  #closing: Closing | undefined;
  #ended: BotError | undefined;

  constructor(url: string, token: string, hearing: Hearing) {
    this.#url = url;
    this.#hearing = hearing;
    this.socket = io(url, {
      transports: ['websocket'],
      autoConnect: false,
      reconnection: false,
      forceNew: true,
      timeout: 8_000,
      auth: { protocol, token },
    });
    this.socket.on('ready', (ready) => this.#welcome(ready));
    this.socket.on('closing', (closing) => (this.#closing = closing));
    this.socket.on('disconnect', (reason) => this.#lost(reason));
    this.socket.on('connect_error', (error) => this.#refused(error));
  }

  get ended() {
    return this.#ended;
  }

  open() {
    this.#closing = undefined;
    this.socket.connect();
    this.#in(patience, () => this.#givenUp());
  }

  /** Another connection in place of this one. */
  renew() {
    this.socket.disconnect();
  }

  end(error: BotError) {
    if (this.#ended) return;
    this.#ended = error;
    this.#open = false;
    clearTimeout(this.#timer);
    this.socket.disconnect();
    for (const { fail } of this.#waiting) fail(error);
    this.#waiting.clear();
    this.#hearing.ended(error);
  }

  /**
   * Runs a command: waits for the connection, and as long as the server asks it to; sends again what got no
   * answer. Ids make that safe.
   * @throws BotError the server's refusal, or why the bot has ended
   */
  async command<C extends CommandName>(name: C, input: Input<C>): Promise<Output<C>> {
    for (let attempt = 0; ; attempt += 1) {
      await this.#whenOpen();
      const result = await this.#emit(name, input);
      if (result?.ok) return result.value;
      if (result && !result.error.retryable) throw refused(name, result.error, this.#url);
      if (result) await this.#rest(result.error.retryAfterMs ?? waitBefore(attempt) / 2);
    }
  }

  /** Nothing, if no answer came. */
  async #emit<C extends CommandName>(
    name: C,
    input: Input<C>,
  ): Promise<Result<Output<C>> | undefined> {
    // One command's types cannot be followed through Socket.IO's overloads; `command` has checked them.
    const emitter = this.socket.timeout(patience) as unknown as {
      emitWithAck(name: C, input: Input<C>): Promise<Result<Output<C>>>;
    };
    return emitter.emitWithAck(name, input).catch(() => undefined);
  }

  async #whenOpen(): Promise<void> {
    if (this.#ended) throw this.#ended;
    if (!this.#open)
      await new Promise<void>((go, fail) => {
        this.#waiting.add({ go, fail });
      });
  }

  #rest = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, milliseconds);
    });

  #welcome(ready: Ready) {
    clearTimeout(this.#timer);
    this.#open = true;
    this.#everReady = true;
    this.#attempt = 0;
    this.#hearing.ready(ready);
    for (const { go } of this.#waiting) go();
    this.#waiting.clear();
  }

  #lost(reason: string) {
    const closing = this.#closing;
    this.#open = false;
    if (this.#ended) return;
    if (closing?.retry === false) this.end(farewell(closing, this.#url));
    else this.#again(closing?.reason ?? reason, closing?.retryAfterMs);
  }

  #refused(error: Error & { data?: Refusal; description?: unknown }) {
    if (this.#ended) return;
    const { data } = error;
    if (data === undefined) this.#unanswered(causeOf(error));
    else if (data.supported) this.end(otherVersion(data.supported, this.#url));
    else if (data.code === 'unauthenticated' || !(data.retryable || this.#everReady))
      this.end(refused('Connecting', data, this.#url));
    else this.#again(data.message, data.retryAfterMs);
  }

  /** Connected, but never ready: what speaks there is slow, or no Parley. */
  #givenUp() {
    const { connected } = this.socket;
    this.socket.disconnect();
    if (!connected) this.#unanswered('it takes too long');
  }

  /** At the very first try an address that does not answer is most likely a wrong one. */
  #unanswered(why: string) {
    const url = this.#url;
    if (this.#everReady) this.#again(why);
    else this.end(new BotError('unreachable', `Parley doesn’t answer at ${url}: ${why}.`, { url }));
  }

  #again(why: string, milliseconds = 0) {
    if (this.#attempt === 0) this.#hearing.lost(why);
    this.#in(Math.max(milliseconds, waitBefore(this.#attempt++)), () => this.open());
  }

  #in(milliseconds: number, act: () => void) {
    clearTimeout(this.#timer);
    if (!this.#ended) this.#timer = setTimeout(act, milliseconds);
  }
}

function farewell({ code, reason }: Closing, url: string): BotError {
  if (code === 'unsupported') return new BotError('unsupported', reason, { url });
  const why =
    'This token is no longer valid. A new one was created in the settings, under Bots, or the bot was deleted.';
  return new BotError('unauthenticated', why, { url });
}

const otherVersion = (supported: number[], url: string) =>
  new BotError(
    'unsupported',
    `The server speaks protocol version ${supported.join(' or ')}, and this library ${protocol}.`,
    { url },
  );

/** What the network said: Socket.IO itself only says that there was an error. */
function causeOf({ message, description }: Error & { description?: unknown }): string {
  const { message: cause } = (description ?? {}) as { message?: unknown };
  return typeof cause === 'string' && cause !== '' ? cause : message;
}
