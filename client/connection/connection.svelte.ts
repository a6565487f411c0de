/** The browser's connection, as components see it, and what the browser itself says of the network. */
import { io } from 'socket.io-client';
import type { Refusal } from '../../shared/protocol.ts';
import { placeAt } from '../navigation/routes.ts';
import { loading } from '../session/loading.svelte.ts';
import {
  Connection,
  protocol,
  socketOptions,
  type ClientSocket,
  type ConnectionState,
  type Ended,
} from '../sync/connection.ts';

/** How often a page asks whether there is an owner by now, in milliseconds. */
const unclaimedMs = 10_000;

/** A loss shorter than this is not shown, in milliseconds. */
const blip = 1_000;

class BrowserConnection {
  state = $state.raw<ConnectionState>({ is: 'closed' });
  /** Lost for longer than a blip: worth telling. */
  lost = $state(false);
  refusal = $state.raw<Refusal>();
  /** Why the server ended the session, in its words. */
  ended = $state<string>();

  /** I am signing out: the end of the session is no news. */
  leaving = false;

  readonly driver: Connection;
  readonly #socket: ClientSocket;
  #blipTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#socket = io({
      ...socketOptions,
      // A stranger is shown the invite that the address names now: none is kept for whoever uses this browser next.
      auth: (give) => {
        const place = placeAt(location.pathname);
        give({ protocol, ...(place.page === 'join' && { invite: place.code }) });
      },
    });
    this.driver = new Connection(this.#socket, {
      prepare() {
        loading.expect(true);
        return loading.load();
      },
      ready: (ready) => loading.inside?.onSignedIn(ready),
      changed: (state) => {
        this.#onChanged(state);
      },
    });
  }

  /** This page no longer speaks the server's language. */
  get outdated() {
    const { state } = this;
    return (
      state.is === 'ended' && (state.closing?.code === 'unsupported' || !!state.refusal?.supported)
    );
  }

  start() {
    addEventListener('offline', () => this.#socket.disconnect());
    addEventListener('online', () => {
      this.retryNow();
    });
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.#lookAgain();
    });
    setInterval(() => {
      if (!document.hidden && this.refusal?.unclaimed) this.#lookAgain();
    }, unclaimedMs);
    this.driver.open();
  }

  /** At once instead of in a while. */
  retryNow() {
    if (this.state.is === 'waiting') this.driver.open();
  }

  /** What the sign-in page says may be no longer so: there is an owner, or somebody signed in beside it. */
  #lookAgain() {
    const { state } = this;
    if (state.is === 'ended' && state.refusal?.code === 'unauthenticated') this.driver.open();
    else this.retryNow();
  }

  /** After signing in: the cookie is new, so the connection must be too. */
  reconnect() {
    this.ended = undefined;
    this.driver.reconnect();
  }

  #onChanged(state: ConnectionState) {
    this.state = state;
    if (state.is === 'waiting') this.#blipTimer ??= setTimeout(() => (this.lost = true), blip);
    else if (state.is === 'ended') this.#onEnded(state);
    else if (state.is === 'ready') {
      this.#isLostNoMore();
      this.refusal = undefined;
      this.ended = undefined;
    }
  }

  #onEnded({ closing, refusal }: Ended) {
    if (this.outdated) return;
    if (closing) {
      this.ended = this.leaving ? undefined : closing.reason;
      // The cookie is dead, so this is refused, and the refusal says who may come in.
      this.driver.open();
      return;
    }
    this.#isLostNoMore();
    this.refusal = refusal;
    loading.expect(false);
    void loading.enter();
    loading.inside?.onSignedOut();
    this.leaving = false;
  }

  #isLostNoMore() {
    clearTimeout(this.#blipTimer);
    this.#blipTimer = undefined;
    this.lost = false;
  }
}

export const connection = new BrowserConnection();
