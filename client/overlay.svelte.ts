/** What lies over everything else. It is opened from anywhere, and whatever opened it may go meanwhile. */
import { later } from './later.ts';

export const views = {
  switcher: later(() => import('./switcher/Switcher.svelte')),
  shortcuts: later(() => import('./keyboard/ShortcutList.svelte')),
  settings: later(() => import('./accounts/AccountSettings.svelte')),
  claim: later(() => import('./accounts/ClaimAccount.svelte')),
  newConversation: later(() => import('./conversations/NewConversation.svelte')),
  signOut: later(() => import('./accounts/SignOut.svelte')),
};

type View = keyof typeof views;

class Overlay {
  #shown = $state.raw<readonly View[]>([]);

  /** The last one on top. */
  get shown() {
    return this.#shown;
  }

  open(view: View) {
    if (!this.#shown.includes(view)) this.#shown = [...this.#shown, view];
  }

  close(view: View) {
    this.#shown = this.#shown.filter((other) => other !== view);
  }

  toggle(view: View) {
    if (this.#shown.includes(view)) this.close(view);
    else this.open(view);
  }

  clear() {
    this.#shown = [];
  }
}

export const overlay = new Overlay();
