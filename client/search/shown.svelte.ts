/** Whether the search for messages is shown, from anywhere. */
class SearchShown {
  /** What it was opened with: something to look for, or nothing. */
  asked = $state.raw<{ query: string }>();
  /** It is out of sight while one looks at a hit, on a screen where both have no room. */
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
