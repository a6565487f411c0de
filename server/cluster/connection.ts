/** A connection to Redis. While Redis is away, commands fail at once instead of waiting. */
import { Redis, type Command } from 'ioredis';
import type { Logger } from '../node/log.ts';

/** How long Redis may take to answer, in milliseconds, before the connection counts as dead. */
const answerTimeoutMs = 2_000;

export class RedisConnection extends Redis {
  /** All channels and patterns ever subscribed to, by command. */
  readonly #wanted = { subscribe: new Set<string>(), psubscribe: new Set<string>() };

  constructor(url: string, name: string, log: Logger) {
    super(url, {
      connectionName: `parley-${name}`,
      connectTimeout: answerTimeoutMs,
      // A frozen Redis keeps its connections open, so only a timeout detects it.
      socketTimeout: answerTimeoutMs,
      retryStrategy: (times) => Math.min(times * 100, 1_000) * (0.75 + Math.random() / 2),
      // Callers handle the failure at once, so a command that is kept for later would run too late.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      autoResubscribe: false,
    });
    let away = false;
    this.on('error', (error) => {
      if (!away) log.warn({ line: name, reason: error.message }, 'Redis is unavailable');
      away = true;
    });
    this.on('ready', () => {
      if (away) log.warn({ line: name }, 'Redis is available again');
      away = false;
    });
  }

  /** Handles the rejections of all commands: the adapter awaits none of its own, so they would be unhandled. */
  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    if (command.name === 'subscribe' || command.name === 'psubscribe')
      for (const channel of command.args) this.#wanted[command.name].add(String(channel));
    const sent = super.sendCommand(command, stream);
    if (sent instanceof Promise) sent.catch(() => undefined);
    return sent;
  }

  /** Calls `listener` whenever all subscriptions are active: at first, and after each gap. */
  onListening(listener: () => void): void {
    this.on('ready', () => {
      // If the connection is lost before that, the next one starts over.
      void this.#subscribeToAll().then(listener, () => undefined);
    });
  }

  async #subscribeToAll(): Promise<void> {
    const { subscribe, psubscribe } = this.#wanted;
    if (subscribe.size > 0) await this.subscribe(...subscribe);
    if (psubscribe.size > 0) await this.psubscribe(...psubscribe);
  }
}
