/** Something that happened to what was on the screen, told once, until it is read. */
import { newId } from '../sync/ids.ts';
import { Kept } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';

export interface Notice {
  text: string;
  /** What was written there and not sent. */
  draft?: string;
}

/** Those that hold what somebody wrote: none makes way for another, and a reload does not take them. */
const withDraft = new Kept('lost', (found): Notice | undefined => {
  const { text, draft } = asRecord(found);
  return typeof text === 'string' && typeof draft === 'string' ? { text, draft } : undefined;
});

/** Their ids sort by time. */
const first = () => withDraft.entries.sort(([a], [b]) => (a < b ? -1 : 1))[0];

class Notices {
  #last = $state.raw<Notice>();

  get current(): Notice | undefined {
    return first()?.[1] ?? this.#last;
  }

  tell(text: string, draft = '') {
    if (draft.trim()) withDraft.set(newId(), { text, draft });
    else this.#last = { text };
  }

  dismiss() {
    const shown = first();
    if (shown) withDraft.delete(shown[0]);
    else this.#last = undefined;
  }
}

export const notices = new Notices();
