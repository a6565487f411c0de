/** What lies over everything else. It is opened from anywhere, and whatever opened it may go meanwhile. */
import type { LazyComponent } from './lazy.ts';

interface Closable {
  onclose: () => void;
}

interface Shown {
  part: LazyComponent<Closable>;
  given: () => object | undefined;
}

class Overlay {
  #shown = $state.raw<readonly Shown[]>([]);

  /** The last one on top. */
  get shown() {
    return this.#shown;
  }

  /**
   * `given` is what the part is to know. It is asked again when that changes, and with nothing to answer any
   * longer the part closes: what it was about is gone.
   */
  open<P extends Closable>(part: LazyComponent<P>, given: () => Omit<P, 'onclose'> | undefined) {
    // What a part is given fits it, here; where it is shown, it is a part like any other.
    const next: Shown = { part: part as unknown as LazyComponent<Closable>, given };
    this.#shown = [...this.#shown.filter((one) => one.part !== next.part), next];
  }

  close(part: object) {
    this.#shown = this.#shown.filter((one) => one.part !== part);
  }

  toggle(part: LazyComponent<Closable>) {
    if (this.#shown.some((one) => one.part === part)) this.close(part);
    else this.open(part, () => ({}));
  }

  /** Lets go of what is about something that is gone. */
  tidy() {
    const kept = this.#shown.filter(({ given }) => given() !== undefined);
    if (kept.length < this.#shown.length) this.#shown = kept;
  }

  clear() {
    this.#shown = [];
  }
}

export const overlay = new Overlay();
