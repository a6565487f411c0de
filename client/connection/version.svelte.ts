/** Whether the server has a newer version of the page. Its script's name contains a hash of the content. */
const mine = document.querySelector('script[src^="/assets/"]')?.getAttribute('src');

class Version {
  /** The newer version, until the user has dismissed it. */
  newer = $state<string>();
  #putOff: string | undefined;

  /** `theirs` is undefined if the server serves no page itself. */
  receive(theirs: string | undefined) {
    this.newer = mine && theirs !== mine && theirs !== this.#putOff ? theirs : undefined;
  }

  putOff() {
    this.#putOff = this.newer;
    this.newer = undefined;
  }
}

export const version = new Version();
