/** Whether the server has a newer page than this one. Its name holds a hash of all that it is made of. */
const mine = document.querySelector('script[src^="/assets/"]')?.getAttribute('src');

class Version {
  /** What is newer, until the reader has put it off. */
  newer = $state<string>();
  #putOff: string | undefined;

  /** `theirs` is unknown where the server has no page of its own. */
  hear(theirs: string | undefined) {
    this.newer = mine && theirs !== mine && theirs !== this.#putOff ? theirs : undefined;
  }

  putOff() {
    this.#putOff = this.newer;
    this.newer = undefined;
  }
}

export const version = new Version();
