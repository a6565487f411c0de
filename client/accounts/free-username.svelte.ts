/** Whether a username is still to be had, asked when the typing pauses. The server has the last word when it is sent. */
import { whyTaken } from './auth.ts';
import { usernameError } from './rules.ts';

/** In milliseconds. */
const pause = 400;

export class FreeUsername {
  /** Why it is not free. */
  taken = $state<string>();
  /** It is, as far as the server said. */
  free = $state(false);

  #name = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  typed(name: string, invite: string | undefined) {
    if (name === this.#name) return;
    this.stop();
    this.#name = name;
    if (!usernameError(name)) this.#timer = setTimeout(() => void this.#ask(name, invite), pause);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#name = '';
    this.taken = undefined;
    this.free = false;
  }

  /** What gets no answer is no matter: registering tells it too. */
  async #ask(name: string, invite: string | undefined) {
    const taken = await whyTaken(name, invite).catch(() => unknown);
    if (name !== this.#name || taken === unknown) return;
    this.taken = taken;
    this.free = taken === undefined;
  }
}

const unknown = '';
