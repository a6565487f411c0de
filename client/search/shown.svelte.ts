class SearchShown {
  /** The query that it was opened with; can be empty. */
  asked = $state.raw<{ query: string }>();
  /** True while a result is shown on a screen without room for both. */
  isAside = $state(false);

  open(query = '') {
    this.asked = { query };
    this.isAside = false;
  }

  close() {
    this.asked = undefined;
    this.isAside = false;
  }
}

export const searchShown = new SearchShown();
