/** Asks whether a username is free when the user stops typing. The server checks again when the form is sent. */
import { askWhyTaken } from './auth.ts';
import { usernameError } from './rules.ts';

const debounceMs = 400;

export class UsernameCheck {
  taken = $state<string>();
  free = $state(false);

  #name = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  typed(name: string, invite: string | undefined) {
    if (name === this.#name) return;
    this.stop();
    this.#name = name;
    if (!usernameError(name))
      this.#timer = setTimeout(() => void this.#ask(name, invite), debounceMs);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#name = '';
    this.taken = undefined;
    this.free = false;
  }

  /** A failed check is ignored: registering will report a taken name. */
  async #ask(name: string, invite: string | undefined) {
    const taken = await askWhyTaken(name, invite).catch(() => unknown);
    if (name !== this.#name || taken === unknown) return;
    this.taken = taken;
    this.free = taken === undefined;
  }
}

const unknown = '';
