/** A connection to a Redis that may be away: then what is asked of it fails at once, and nobody waits. */
import { Redis, type Command } from 'ioredis';
import type { Logger } from '../node/log.ts';

/** How long Redis may take to answer, in milliseconds, before the connection counts as dead. */
const answerTimeoutMs = 2_000;

export class RedisConnection extends Redis {
  /** All that was ever subscribed to, by the command that does it. */
  readonly #wanted = { subscribe: new Set<string>(), psubscribe: new Set<string>() };

  constructor(url: string, name: string, log: Logger) {
    super(url, {
      connectionName: `parley-${name}`,
      connectTimeout: answerTimeoutMs,
      // A frozen Redis keeps its connections open: only its silence tells.
      socketTimeout: answerTimeoutMs,
      retryStrategy: (times) => Math.min(times * 100, 1_000) * (0.75 + Math.random() / 2),
      // What was asked for has its own answer to "not now"; kept for later, it would be done too late.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      autoResubscribe: false,
    });
    let away = false;
    this.on('error', (error) => {
      if (!away) log.warn({ line: name, reason: error.message }, 'Redis is away');
      away = true;
    });
    this.on('ready', () => {
      if (away) log.warn({ line: name }, 'Redis is back');
      away = false;
    });
  }

  /**
   * Every command goes by here. The adapter waits for none of its own, and a failure that nobody waits for
   * would end the process.
   */
  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    if (command.name === 'subscribe' || command.name === 'psubscribe')
      for (const channel of command.args) this.#wanted[command.name].add(String(channel));
    const sent = super.sendCommand(command, stream);
    if (sent instanceof Promise) sent.catch(() => undefined);
    return sent;
  }

  /** Calls back whenever everything that was subscribed to is heard: at first, and after each gap. */
  onListening(listener: () => void): void {
    this.on('ready', () => {
      // Lost again before all of it has arrived: the next connection starts over.
      void this.#subscribeToAll().then(listener, () => undefined);
    });
  }

  /** A new connection knows nothing of what the last one was subscribed to. */
  async #subscribeToAll(): Promise<void> {
    const { subscribe, psubscribe } = this.#wanted;
    if (subscribe.size > 0) await this.subscribe(...subscribe);
    if (psubscribe.size > 0) await this.psubscribe(...psubscribe);
  }
}
