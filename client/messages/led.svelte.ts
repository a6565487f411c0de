/** The row that an address led to: tinted for a moment, and known by its edge while the keyboard is left there. */
import type { MessageItem } from './lines.ts';

const tintMs = 3_000;

export class Led {
  #id = $state<string>();
  #isTinted = $state(false);
  #isLeft = $state(false);
  #fading: ReturnType<typeof setTimeout> | undefined;

  /** `there` if it is what the address names, and not only beside where that was. */
  to(id: string | undefined, there: boolean) {
    this.#id = id;
    this.#isTinted = there;
    this.#isLeft = false;
    clearTimeout(this.#fading);
    this.#fading = setTimeout(() => (this.#isTinted = false), tintMs);
  }

  /** A key was used, or the keyboard is elsewhere. */
  end() {
    this.#isLeft = true;
  }

  markOf({ id }: MessageItem): 'now' | 'still' | undefined {
    if (id !== this.#id) return undefined;
    if (this.#isTinted) return 'now';
    return this.#isLeft ? undefined : 'still';
  }
}
