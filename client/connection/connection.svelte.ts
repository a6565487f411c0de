/** The browser's connection as reactive state, and the browser's online events. */
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

/** How often an unclaimed Parley is asked whether it has an owner now, in milliseconds. */
const unclaimedMs = 10_000;

/** A loss shorter than this is not shown. */
const blipMs = 1_000;

const triesBeforeBlocked = 2;

/** What the page does as sessions begin and end. */
export interface SessionHandlers {
  /** The server accepted the connection: loads what a session shows. */
  prepare: () => Promise<unknown>;
  onSignedIn: (ready: Ready) => void;
  onSignedOut: () => void;
}

class BrowserConnection {
  state = $state.raw<ConnectionState>({ is: 'closed' });
  /** Lost for so long that it is shown. */
  lost = $state(false);
  /** True if the server answers over HTTP but no socket ever opened: a proxy or firewall blocks WebSocket. */
  blocked = $state(false);
  refusal = $state.raw<Refusal>();
  /** Why the server ended the session, in the server's words. */
  ended = $state<string>();

  /** When the password was reset with a link, until the user is told. */
  declare passwordResetAt: string | undefined;

  /** The user is signing out: the end of the session is expected. */
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
      // browser may be somebody else.
      auth: (give) => {
        const place = placeAt(location.pathname);
        give({ protocol, ...(place.page === 'join' && { invite: place.code }) });
      },
    });
    this.driver = new Connection(this.#socket, {
      prepare: async () => this.#session?.prepare(),
      ready: (ready) => this.#session?.onSignedIn(ready),
      changed: (state) => {
        this.#onChanged(state);
      },
    });
  }

  /** Whether this page is too old for the server. */
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

  /** Retries now instead of waiting. */
  retryNow() {
    if (this.state.is === 'waiting') this.driver.open();
  }

  /** The sign-in page may be outdated: the Parley may have an owner now, or somebody has signed in in another tab. */
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
      // Connecting with the ended cookie is refused, and the refusal says who may sign up.
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
