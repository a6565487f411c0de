/** A person's socket as the connection of the room driver (client/sync/sync-client.ts). */
import { setImmediate } from 'node:timers/promises';
import { NoResponse } from '../../client/sync/connection.ts';
import type { Link } from '../../client/sync/sync-client.ts';
import { ChatError, type Failure } from '../../shared/failure.ts';
import type { CommandName, Input, Output, ServerToClientEvents } from '../../shared/protocol.ts';
import type { Person } from './person.ts';

type EventName = keyof ServerToClientEvents;
type Listener = (payload: never) => void;

export class PersonLink implements Link {
  person: Person;
  readonly #listeners: [event: EventName, listener: Listener][] = [];
  readonly #pending = new Set<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];

  constructor(person: Person) {
    this.person = person;
  }

  get isReady() {
    return this.person.socket.connected;
  }

  /** Switches to this person's socket. Delivers its events so far, and all later ones. */
  use(person: Person) {
    this.person = person;
    for (const [event, listener] of this.#listeners) {
      for (const payload of person.received(event)) listener(payload as never);
      person.socket.on(event, listener as never);
    }
    for (const go of this.#waiting.splice(0)) go();
  }

  on: Link['on'] = (event, listener) => {
    this.#listeners.push([event, listener]);
  };

  send = <C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> => {
    const sending = this.#send(command, input);
    this.#pending.add(sending);
    const done = () => void this.#pending.delete(sending);
    sending.then(done, done);
    return sending;
  };

  reconnect() {
    this.person.close();
  }

  /** Waits until all requests are answered, and those that follow from the answers. */
  async idle(): Promise<void> {
    do {
      await Promise.allSettled(this.#pending);
      await setImmediate();
    } while (this.#pending.size > 0);
  }

  async #send<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
    while (!this.isReady) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.person.send(command, input).catch((error: unknown) => {
      const { code, message } = error as Partial<Failure>;
      throw code === undefined ? new NoResponse('lost') : new ChatError(code, message ?? '');
    });
  }
}
