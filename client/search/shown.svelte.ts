/** Whether the message search is open. */
class SearchShown {
  /** The query that it was opened with; may be empty. */
  asked = $state.raw<{ query: string }>();
  /** Hidden while the user views a result, on screens without room for both. */
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
