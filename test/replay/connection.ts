/** A signed-in client whose connection can be closed and opened again at any time. */
import type { Connection, ConnectionHandlers } from '../../client/sync/connection.ts';
import type { CommandName, Input, Output } from '../../shared/protocol.ts';
import { connectionTo, unlessEnded } from '../support/client-connection.ts';
import { retryUntilAnswered } from './retry.ts';

export class ReplayConnection {
  readonly url: string;
  readonly cookie: string;
  readonly connection: Connection;

  constructor(url: string, cookie: string, handlers: Partial<ConnectionHandlers> = {}) {
    this.url = url;
    this.cookie = cookie;
    this.connection = connectionTo({ url, origin: new URL(url).origin, cookie }, handlers);
  }

  get #isClosed() {
    return this.connection.state.is === 'closed';
  }

  /** Sends a command: opens the connection if needed, and retries as {@link retryUntilAnswered} does. */
  ask<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
    if (this.#isClosed) this.connection.open();
    return retryUntilAnswered(() => {
      if (this.#isClosed) throw new Error('The connection was closed.');
      return unlessEnded(this.connection, () => this.connection.send(command, input));
    });
  }

  /** Resolves when the connection is open: sends a command that changes nothing. */
  async open(): Promise<void> {
    await this.ask('server:list', {});
  }

  /** Aborts open commands. The next `ask` opens the connection again. */
  close() {
    this.connection.close();
  }
}
