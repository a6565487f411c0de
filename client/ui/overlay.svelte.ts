/** Components over everything else, mostly dialogs. They can be opened from anywhere and outlive their opener. */
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

  get shown() {
    return this.#shown;
  }

  /** `given` is reactive. When it returns undefined, the component closes, because its subject is gone. */
  open<P extends Closable>(part: LazyComponent<P>, given: () => Omit<P, 'onclose'> | undefined) {
    // The parameters' types ensure that the properties fit the component; the list holds components of any type.
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

  tidy() {
    const open = this.#shown.filter(({ given }) => given() !== undefined);
    if (open.length < this.#shown.length) this.#shown = open;
  }

  clear() {
    this.#shown = [];
  }
}

export const overlay = new Overlay();
