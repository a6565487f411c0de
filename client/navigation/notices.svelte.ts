/** Something that happened to what was on the screen, told once: for a while, until it is read, or no longer true. */
import { newId } from '../sync/ids.ts';
import { Kept } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';

export interface Notice {
  text: string;
  /** What was written there and not sent. */
  draft?: string;
  /** What I am no longer in: a server, or what has a timeline. */
  place?: string | undefined;
}

/** Those that hold what somebody wrote: none makes way for another, and a reload does not take them. */
const withDraft = new Kept('lost', (found): Notice | undefined => {
  const { text, draft, place } = asRecord(found);
  if (typeof text !== 'string' || typeof draft !== 'string') return undefined;
  return { text, draft, place: typeof place === 'string' ? place : undefined };
});

/** Their ids sort by time. */
const first = () => withDraft.entries.sort(([a], [b]) => (a < b ? -1 : 1))[0];

class Notices {
  #last = $state.raw<Notice>();

  get current(): Notice | undefined {
    return first()?.[1] ?? this.#last;
  }

  /** Goes by itself: it offers nothing, and what is on the screen needs no explaining. */
  get isPassing(): boolean {
    const { current } = this;
    return !!current && !current.draft && !current.place;
  }

  tell(text: string, draft = '', place?: string) {
    if (draft.trim()) withDraft.set(newId(), { text, draft, place });
    else this.#last = { text, place };
  }

  dismiss() {
    const shown = first();
    if (shown) withDraft.delete(shown[0]);
    else this.#last = undefined;
  }

  /** What was told to somebody is nothing to the next. */
  forget() {
    this.#last = undefined;
  }

  /** Ends those of places where I am again; what was written there is given back. */
  retract(isBack: (place: string) => boolean, giveBack: (place: string, draft: string) => void) {
    for (const [id, { place = '', draft = '' }] of withDraft.entries)
      if (isBack(place)) {
        withDraft.delete(id);
        giveBack(place, draft);
      }
    if (isBack(this.#last?.place ?? '')) this.#last = undefined;
  }
}

export const notices = new Notices();
