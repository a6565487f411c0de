/** The bot's connection: commands that wait until it is ready, and the errors that end it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { io } from 'socket.io-client';
import { failureOf, type ChatError } from '../../shared/failure.ts';
import type { Closing, CommandName, Input, Output, Ready } from '../../shared/protocol.ts';
import { waitBefore } from '../sync/backoff.ts';
import {
  Connection,
  NoResponse,
  protocol,
  socketOptions,
  type ConnectError,
  type ConnectionState,
  type ConnectionEnd,
} from '../sync/connection.ts';
import { BotError, refused } from './failures.ts';

const ackTimeoutMs = 15_000;

interface BotConnectionHandlers {
  prepare(ready: Ready): Promise<boolean>;
  ready(ready: Ready): void;
  /** After `lost` it retries automatically, after `ended` it does not. */
  lost(why: string): void;
  ended(error: BotError): void;
}

export class BotConnection {
  readonly driver: Connection;
  readonly #url: string;
  readonly #handlers: BotConnectionHandlers;
  readonly #waiting = new Set<() => void>();
  #wasReady = false;
  #isLost = false;
  #ended: BotError | undefined;
  readonly #ending = new AbortController();

  constructor(url: string, token: string, handlers: BotConnectionHandlers) {
    this.#url = url;
    this.#handlers = handlers;
    const socket = io(url, { ...socketOptions, forceNew: true, auth: { protocol, token } });
    const changed = (state: ConnectionState) => this.#onChanged(state);
    this.driver = new Connection(socket, { ...handlers, changed }, { ackTimeoutMs });
  }

  get ended() {
    return this.#ended;
  }

  open() {
    this.driver.open();
  }

  end(error: BotError) {
    if (this.#ended) return;
    this.#ended = error;
    this.#ending.abort();
    this.driver.close();
    this.#handlers.ended(error);
  }

  /**
   * Waits until ready, and as long as the server asks. Without an answer it sends again, which ids make safe.
   * @throws BotError the server's refusal, or the reason why the bot has ended
   */
  async command<C extends CommandName>(name: C, input: Input<C>): Promise<Output<C>> {
    for (let attempt = 0; ; attempt += 1) {
      await this.#whenReady();
      try {
        return await this.driver.send(name, input);
      } catch (error) {
        if (error instanceof NoResponse) continue;
        const failure = failureOf(error as ChatError);
        if (!failure.retryable) throw refused(name, failure, this.#url);
        const waitMs = failure.retryAfterMs ?? waitBefore(attempt) / 2;
        await sleep(waitMs, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
    }
  }

  async #whenReady(): Promise<void> {
    if (!this.#ended && !this.driver.isReady)
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    if (this.#ended) throw this.#ended;
  }

  #onChanged(state: ConnectionState) {
    if (state.is === 'waiting') this.#onLost(state.why);
    else if (state.is === 'ended') this.end(endOf(state, this.#url));
    else if (state.is === 'ready') {
      this.#wasReady = true;
      this.#isLost = false;
    }
    if (!this.driver.isReady && !this.#ended) return;
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }

  /** If the very first attempt gets no response, the address is most likely wrong. */
  #onLost(why: string | ConnectError) {
    const isError = typeof why !== 'string';
    const text = isError ? (why.data?.message ?? causeOf(why)) : why;
    if (isError && !this.#wasReady && !why.data?.retryable)
      this.end(why.data ? refused('Connecting', why.data, this.#url) : this.#unreachable(text));
    else if (!this.#isLost) {
      this.#isLost = true;
      this.#handlers.lost(text);
    }
  }

  #unreachable = (why: string) =>
    new BotError('unreachable', `Parley doesn’t answer at ${this.#url}: ${why}.`, {
      url: this.#url,
    });
}

function endOf({ closing, refusal }: ConnectionEnd, url: string): BotError {
  if (closing) return closingError(closing, url);
  if (refusal.supported) return otherVersion(refusal.supported, url);
  return refused('Connecting', refusal, url);
}

function closingError({ code, reason }: Closing, url: string): BotError {
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

/** The error of the network; Socket.IO's own message does not say the cause. */
function causeOf({ message, description }: ConnectError): string {
  const { message: cause } = (description ?? {}) as { message?: unknown };
  return typeof cause === 'string' && cause !== '' ? cause : message;
}
