import { notices } from '../navigation/notices.svelte.ts';
import { readIn } from '../reads/badges.ts';
import { markRead, markUnread } from '../reads/mark-read.ts';
import { reads } from '../reads/reads.svelte.ts';
import { errorText } from '../ui/error-text.ts';

/** An entry marked as done: a whole place, or up to a position. */
export interface Finished {
  /** The key of its entry in the list. */
  stop: string;
  timelineId: string;
  name: string;
  upTo?: number;
}

export class Done {
  /** The last entry marked while this page is shown, and the position from which it was unread. */
  last = $state.raw<Finished & { from: number }>();

  mark(what: Finished) {
    const badge = reads.of(what.timelineId);
    if (!badge) return;
    this.last = { ...what, from: readIn(badge) + 1 };
    markRead(what.timelineId, what.upTo);
  }

  async undo(): Promise<Finished | undefined> {
    const { last } = this;
    this.last = undefined;
    if (!last) return undefined;
    try {
      await markUnread(last.timelineId, last.from);
      return last;
    } catch (error) {
      notices.show(errorText(error));
      return undefined;
    }
  }
}
