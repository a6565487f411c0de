import type { ChangeOf } from '../../shared/changes.ts';
import type { Ready } from '../../shared/protocol.ts';
import type { ChangeType, Room } from '../../shared/rooms.ts';
import type { BotError } from './failures.ts';
import type { BotMessage } from './message.ts';

export type BotEvents = {
  /** Once: the bot has entered every room it can see. */
  ready: [ready: Ready];
  /** Another account sent a message. Each message once, in order; the next waits until the listener is done. */
  message: [message: BotMessage];
  /** The bot has ended and does not reconnect. */
  end: [error: BotError];
} & {
  /** Every change, including the bot's own, with its room. Once each, except after a crash. */
  [T in ChangeType]: [change: ChangeOf<T>, room: Room];
};

export type BotEvent = keyof BotEvents;
export type Listener<E extends BotEvent> = (...payload: BotEvents[E]) => unknown;

/** Calls listeners in turn, each when the previous one is done. Passes their errors to `failed`. */
export class Listeners {
  readonly #listeners = new Map<BotEvent, ((...payload: never[]) => unknown)[]>();
  readonly #failed: (event: BotEvent, error: unknown) => void;

  constructor(failed: (event: BotEvent, error: unknown) => void) {
    this.#failed = failed;
  }

  add<E extends BotEvent>(event: E, listener: Listener<E>) {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  has = (event: BotEvent) => this.#listeners.has(event);

  async emit<E extends BotEvent>(event: E, ...payload: BotEvents[E]): Promise<void> {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        await (listener as unknown as Listener<E>)(...payload);
      } catch (error) {
        this.#failed(event, error);
      }
    }
  }
}
