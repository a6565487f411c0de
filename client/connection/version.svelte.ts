/** The path of this page’s script, which contains a hash of the content. */
export const build = document.querySelector('script[src^="/assets/main"]')?.getAttribute('src');

/** Detects a newer version of the page. */
class Version {
  /** The newer version, until the user dismisses it. */
  newer = $state<string>();
  #postponed: string | undefined;

  /** `theirs` is undefined if the server does not serve the page. */
  receive(theirs: string | undefined) {
    this.newer = build && theirs !== build && theirs !== this.#postponed ? theirs : undefined;
  }

  postpone() {
    this.#postponed = this.newer;
    this.newer = undefined;
  }
}

export const version = new Version();
