import type { ChangeOf } from '../../shared/changes.ts';
import type { Ready } from '../../shared/protocol.ts';
import type { ChangeType, Room } from '../../shared/rooms.ts';
import type { BotError } from './failures.ts';
import type { BotMessage } from './message.ts';

/** What a bot can listen to, and what it is told. */
export type BotEvents = {
  /** Everything that it may see is entered: once. */
  ready: [ready: Ready];
  /** Somebody else said something: each message once, in its order. The next waits until this is done. */
  message: [message: BotMessage];
  /** It ended for good. */
  end: [error: BotError];
} & {
  /** Every change, one’s own too, and in which room. Not twice, but for a crash in between. */
  [T in ChangeType]: [change: ChangeOf<T>, room: Room];
};

export type BotEvent = keyof BotEvents;
export type Listener<E extends BotEvent> = (...told: BotEvents[E]) => unknown;

/** Calls listeners one after the other, each when the one before is done. What they throw, `failed` hears. */
export class Listeners {
  readonly #listeners = new Map<BotEvent, ((...told: never[]) => unknown)[]>();
  readonly #failed: (event: BotEvent, error: unknown) => void;

  constructor(failed: (event: BotEvent, error: unknown) => void) {
    this.#failed = failed;
  }

  add<E extends BotEvent>(event: E, listener: Listener<E>) {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  has = (event: BotEvent) => this.#listeners.has(event);

  async tell<E extends BotEvent>(event: E, ...told: BotEvents[E]): Promise<void> {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        await (listener as unknown as Listener<E>)(...told);
      } catch (error) {
        this.#failed(event, error);
      }
    }
  }
}
