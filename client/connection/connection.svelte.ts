/**
 * When we are connected and when we try again. Starting, losing the connection and coming back are one path:
 * try, then `ready` or a refusal, and after every loss a longer wait.
 */
import type { Closing, Ready, Refusal } from '../../shared/protocol.ts';
import { holdBack, letThrough, listenInstead, playAgain, socket } from '../session/socket.ts';
import { waitBefore } from '../sync/backoff.ts';

const readyWithin = 10_000;
const blip = 1_000;

type Prepare = (ready: Ready) => Promise<(() => void) | undefined>;

class Connection {
  /** `refused`: we are a stranger here. `outdated`: this page no longer speaks the server's language. */
  status = $state<'trying' | 'ready' | 'waiting' | 'refused' | 'outdated'>('trying');
  nextTryAt = $state(0);
  /** Lost for longer than a blip: worth telling. */
  lost = $state(false);
  refusal = $state.raw<Refusal>();
  /** Why the server ended the session, in its words. */
  ended = $state<string>();

  /** I am signing out: the end of the session is no news. */
  leaving = false;

  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #blipTimer: ReturnType<typeof setTimeout> | undefined;
  #closing: Closing | undefined;
  /** On the way back with the new cookie already: the server said so. */
  #renewing = false;
  /** Somebody asked for a new connection meanwhile: should the cookie have been the old one, there is another try. */
  #asked = false;
  #onrefused: () => void = () => undefined;

  /** `prepare` answers with how to begin, once that can be; with nothing, if it cannot. */
  start(prepare: Prepare, onrefused: () => void) {
    this.#onrefused = onrefused;
    socket.on('ready', (ready) => void this.#welcome(prepare, ready));
    socket.on('closing', (closing) => {
      this.#closing = closing;
      holdBack();
    });
    socket.on('disconnect', () => {
      this.#lost();
    });
    socket.on('connect_error', (error) => {
      this.#refused((error as Error & { data?: Refusal }).data);
    });
    addEventListener('offline', () => socket.disconnect());
    addEventListener('online', () => {
      this.retryNow();
    });
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.retryNow();
    });
    this.#try();
  }

  /** At once instead of in a while. */
  retryNow() {
    if (this.status === 'waiting') this.#try();
  }

  /** After signing in: the cookie is new, so the connection must be too. */
  reconnect() {
    this.ended = undefined;
    this.#attempt = 0;
    this.#asked = this.#renewing;
    if (this.#renewing) return;
    socket.disconnect();
    this.#try();
  }

  #try() {
    clearTimeout(this.#timer);
    this.status = 'trying';
    this.#closing = undefined;
    socket.connect();
    this.#timer = setTimeout(() => {
      socket.disconnect();
      if (this.status === 'trying') this.#wait(waitBefore(this.#attempt++));
    }, readyWithin);
  }

  /** What the server says meanwhile is heard after that, in its order. */
  async #welcome(prepare: Prepare, ready: Ready) {
    clearTimeout(this.#timer);
    const { id } = socket;
    const missed = listenInstead();
    const begin = await prepare(ready);
    const words = missed();
    if (!begin || socket.id !== id) return;
    begin();
    words.forEach(playAgain);
    this.#arrived();
  }

  #arrived() {
    this.#renewing = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#blipTimer);
    this.#blipTimer = undefined;
    this.status = 'ready';
    this.lost = false;
    this.refusal = undefined;
    this.ended = undefined;
    this.#attempt = 0;
    letThrough();
  }

  #lost() {
    holdBack();
    if (this.status === 'refused' || this.status === 'outdated') return;
    const closing = this.#closing;
    if (!closing) this.#wait(waitBefore(this.#attempt++));
    else if (closing.retry) this.#comeBack(closing);
    else if (closing.code === 'unsupported') this.status = 'outdated';
    else this.#signedOut(closing.reason);
  }

  #comeBack({ code, retryAfterMs }: Closing) {
    if (code === 'renewed') {
      this.#renewing = true;
      this.#try();
    } else this.#wait(retryAfterMs ?? waitBefore(this.#attempt++));
  }

  /** The cookie is dead, so this try is refused, and the refusal says who may come in. */
  #signedOut(reason: string) {
    this.ended = this.leaving ? undefined : reason;
    this.#try();
  }

  #refused(refusal: Refusal | undefined) {
    this.#renewing = false;
    if (this.#asked) {
      this.reconnect();
      return;
    }
    if (refusal?.supported) {
      clearTimeout(this.#timer);
      this.status = 'outdated';
    } else if (refusal?.code === 'unauthenticated') {
      clearTimeout(this.#timer);
      clearTimeout(this.#blipTimer);
      this.lost = false;
      this.refusal = refusal;
      this.status = 'refused';
      this.#onrefused();
      this.leaving = false;
    } else {
      this.#wait(Math.max(refusal?.retryAfterMs ?? 0, waitBefore(this.#attempt++)));
    }
  }

  #wait(milliseconds: number) {
    this.#renewing = false;
    clearTimeout(this.#timer);
    this.status = 'waiting';
    this.nextTryAt = Date.now() + milliseconds;
    this.#timer = setTimeout(() => {
      this.#try();
    }, milliseconds);
    this.#blipTimer ??= setTimeout(() => (this.lost = true), blip);
  }
}

export const connection = new Connection();
