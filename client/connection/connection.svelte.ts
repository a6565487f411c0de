/** The browser's connection as reactive state, driven also by the browser's online events. */
import { io } from 'socket.io-client';
import type { Ready, Refusal } from '../../shared/protocol.ts';
import { placeAt } from '../routes/routes.ts';
import {
  Connection,
  protocol,
  socketOptions,
  type ClientSocket,
  type ConnectionState,
  type ConnectionEnd,
} from '../sync/connection.ts';
import { Pace } from '../sync/pace.ts';

/** How often an unclaimed instance is asked whether it has an owner now. */
const unclaimedMs = 10_000;

/** A shorter loss of the connection is not shown. */
const blipMs = 1_000;

const triesBeforeBlocked = 2;

export interface SessionHandlers {
  /** Loads what a session shows, once the server accepted the connection. */
  prepare: (ready: Ready) => Promise<unknown>;
  onSignedIn: (ready: Ready) => void;
  /** Called after each failed attempt. Shows saved content, if nothing is shown yet. */
  onLost: () => Promise<void>;
  onSignedOut: () => void;
}

/** Svelte renders in a microtask, so before the message arrives. */
function afterRendering(done: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    done();
  };
  port2.postMessage(undefined);
}

class BrowserConnection {
  state = $state.raw<ConnectionState>({ is: 'closed' });
  /** True when the connection has been lost for `blipMs`, so that a short loss shows no notice. */
  lost = $state(false);
  /** True if the server answers over HTTP but no socket ever opened: a proxy or firewall blocks WebSocket. */
  blocked = $state(false);
  refusal = $state.raw<Refusal>();
  /** The server's message about why it ended the session. */
  ended = $state<string>();

  /** When the password was reset with a link, until the user is notified. */
  declare passwordResetAt: string | undefined;

  /** True while the user signs out, so that the end of the session is expected. */
  leaving = false;

  readonly driver: Connection;
  readonly #socket: ClientSocket;
  #session: SessionHandlers | undefined;
  #blipTimer: ReturnType<typeof setTimeout> | undefined;
  /** Failed attempts before the server first answered on a socket; `-Infinity` after that. */
  #tries = 0;

  constructor() {
    this.#socket = io({
      ...socketOptions,
      // Before sign-in, the invite comes from the current address. It is not saved, because the next user of this
      // browser can be another person.
      auth: (give) => {
        const place = placeAt(location.pathname);
        give({ protocol, ...(place.page === 'join' && { invite: place.code }) });
      },
    });
    this.driver = new Connection(
      this.#socket,
      {
        prepare: async (ready) => this.#session?.prepare(ready),
        ready: (ready) => this.#session?.onSignedIn(ready),
        changed: (state) => {
          this.#onChanged(state);
        },
      },
      { pace: new Pace({ isHidden: () => document.hidden, afterRendering }) },
    );
  }

  get outdated() {
    const { state } = this;
    return (
      state.is === 'ended' && (state.closing?.code === 'unsupported' || !!state.refusal?.supported)
    );
  }

  start(session: SessionHandlers) {
    this.#session = session;
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

  retryNow() {
    if (this.state.is === 'waiting') this.driver.open();
  }

  /** Asks again when the sign-in page can be outdated: the instance got an owner, or another tab signed in. */
  #lookAgain() {
    const { state } = this;
    if (state.is === 'ended' && state.refusal?.code === 'unauthenticated') this.driver.open();
    else this.retryNow();
  }

  /** Connects again after sign-in, to send the new cookie. */
  reconnect() {
    this.ended = undefined;
    this.driver.reconnect();
  }

  #onChanged(state: ConnectionState) {
    this.state = state;
    if (state.is === 'waiting') {
      void this.#session?.onLost().catch(() => undefined);
      this.#blipTimer ??= setTimeout(() => (this.lost = true), blipMs);
      // A connection that the server refused, or that broke later, was not blocked.
      const isShut = typeof state.why === 'object' && state.why.data === undefined;
      this.#tries += isShut ? 1 : -Infinity;
      if (this.#tries >= triesBeforeBlocked) void this.#lookWhetherBlocked();
    } else if (state.is === 'ended') this.#onEnded(state);
    else if (state.is === 'ready') {
      this.#onFound();
      this.refusal = undefined;
      this.ended = undefined;
    }
  }

  #onEnded({ closing, refusal }: ConnectionEnd) {
    if (this.outdated) return;
    if (closing) {
      this.ended = this.leaving ? undefined : closing.reason;
      // Connects again: the server refuses the ended cookie, and its refusal says which ways to sign up are open.
      this.driver.open();
      return;
    }
    this.#onFound();
    this.refusal = refusal;
    this.#session?.onSignedOut();
    this.leaving = false;
  }

  async #lookWhetherBlocked() {
    const { ok } = await fetch('/livez', { cache: 'no-store' }).catch(() => ({ ok: false }));
    this.blocked = ok && this.lost;
  }

  #onFound() {
    this.#tries = -Infinity;
    this.blocked = false;
    clearTimeout(this.#blipTimer);
    this.#blipTimer = undefined;
    this.lost = false;
  }
}

export const connection = new BrowserConnection();
