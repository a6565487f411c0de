/** Notices: passing ones disappear after a while or at the next navigation, others when dismissed or no longer true. */
import { newId } from '../sync/ids.ts';
import { navigation } from './navigation.svelte.ts';
import { SavedMap } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';
import { fallbackNotice } from '../ui/part-failed.ts';

export interface Notice {
  text: string;
  draft?: string;
  /** The id of the server or timeline that the user has lost. */
  place?: string | undefined;
}

/** Notices with a draft. They do not replace one another and survive a reload. */
const withDraft = new SavedMap('lost', (found): Notice | undefined => {
  const { text, draft, place } = asRecord(found);
  if (typeof text !== 'string' || typeof draft !== 'string') return undefined;
  return { text, draft, place: typeof place === 'string' ? place : undefined };
});

/** The oldest notice, because their ids sort by time. */
const first = () => withDraft.entries.sort(([a], [b]) => (a < b ? -1 : 1))[0];

class Notices {
  /** `visit` is `navigation.visits` when the notice appeared. The next navigation hides it. */
  #last = $state.raw<Notice & { visit: number }>();
  #isUrgent = false;
  /** Shown until the user dismisses it. No other notice replaces it. */
  #persistent = $state.raw<Notice>();

  get current(): Notice | undefined {
    const last = this.#last;
    return (
      first()?.[1] ?? this.#persistent ?? (last?.visit === navigation.visits ? last : undefined)
    );
  }

  /** True for a notice that disappears on its own, because it asks for no action. */
  get isPassing(): boolean {
    const { current } = this;
    return !!current && current !== this.#persistent && !current.draft && !current.place;
  }

  show(text: string, draft = '', place?: string) {
    if (draft.trim()) withDraft.set(newId(), { text, draft, place });
    else this.#last = { text, place, visit: navigation.visits };
  }

  /** Shows that an open place has ended. Takes the focus, because the page has changed without the user's action. */
  showEnd(text: string, draft: string, place: string) {
    this.#isUrgent = true;
    this.show(text, draft, place);
  }

  /** True once for a notice that takes the focus. */
  takesFocus(): boolean {
    const isUrgent = this.#isUrgent;
    this.#isUrgent = false;
    return isUrgent;
  }

  showPersistent(text: string) {
    this.#persistent = { text };
  }

  dismiss() {
    const shown = first();
    if (shown) withDraft.delete(shown[0]);
    else if (this.#persistent) this.#persistent = undefined;
    else this.#last = undefined;
  }

  /** Clears the notices, so that one user's are not shown to the next. */
  forget() {
    this.#persistent = this.#last = undefined;
  }

  /** Removes the notices of places that the user can see again, and gives their drafts back. */
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
fallbackNotice.show = (text) => notices.show(text);
