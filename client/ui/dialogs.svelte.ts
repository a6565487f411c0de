/** The dialogs that are open, the last on top. One that another covers steps back, so that there is one to look at. */
class Dialogs {
  #open = $state.raw<readonly symbol[]>([]);

  isCovered(id: symbol): boolean {
    return this.#open.includes(id) && this.#open.at(-1) !== id;
  }

  /** Answers with what to call when it is closed. */
  open(id: symbol): () => void {
    this.#open = [...this.#open, id];
    return () => {
      this.#open = this.#open.filter((other) => other !== id);
    };
  }
}

export const dialogs = new Dialogs();
