/** The row that the address links to: tinted briefly, and marked at its edge while the keyboard focus stays there. */
import type { MessageItem } from './lines.ts';

const tintMs = 3_000;

export class LinkedRow {
  #id = $state<string>();
  #isTinted = $state(false);
  #isLeft = $state(false);
  #fading: ReturnType<typeof setTimeout> | undefined;

  /** `there` is true if the row is the message in the address, not the one nearest to it. */
  to(id: string | undefined, there: boolean) {
    this.#id = id;
    this.#isTinted = there;
    this.#isLeft = false;
    clearTimeout(this.#fading);
    this.#fading = setTimeout(() => (this.#isTinted = false), tintMs);
  }

  /** Called when a key was used or the focus moved away. */
  end() {
    this.#isLeft = true;
  }

  markOf({ id }: MessageItem): 'now' | 'still' | undefined {
    if (id !== this.#id) return undefined;
    if (this.#isTinted) return 'now';
    return this.#isLeft ? undefined : 'still';
  }
}
