/** The open dialogs, the last one on top. A covered dialog is hidden, so that only one is visible. */
class Dialogs {
  #open = $state.raw<readonly symbol[]>([]);

  isCovered(id: symbol): boolean {
    return this.#open.includes(id) && this.#open.at(-1) !== id;
  }

  /** Returns a function to call when it is closed. */
  open(id: symbol): () => void {
    this.#open = [...this.#open, id];
    return () => {
      this.#open = this.#open.filter((other) => other !== id);
    };
  }
}

export const dialogs = new Dialogs();
