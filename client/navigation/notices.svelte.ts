/** Something that happened to what was on the screen, told once, until it is read. */
export interface Notice {
  text: string;
  /** What was written there and not sent. */
  draft?: string;
}

class Notices {
  current = $state.raw<Notice>();

  tell(text: string, draft = '') {
    this.current = draft.trim()
      ? { text: `${text} You had an unsent draft there.`, draft }
      : { text };
  }

  dismiss() {
    this.current = undefined;
  }
}

export const notices = new Notices();
