/**
 * Gets signed-in.ts at once where somebody is signed in, or was the last time. Everybody else gets the page where they
 * sign in, and the rest as soon as they type there.
 */
import type * as inside from './signed-in.ts';
import type SignInPage from '../accounts/SignInPage.svelte';
import { drop, keep, kept } from '../device/storage.ts';

type Inside = typeof inside;

/** Somebody is signed in on this device. */
const place = 'inside';

class Loading {
  inside = $state.raw<Inside>();
  Entrance = $state.raw<typeof SignInPage>();
  failed = $state(false);
  /** The page where one signs in did not come. */
  shut = $state(false);
  #coming: Promise<Inside | undefined> | undefined;

  constructor() {
    // Few come for a new password: nobody else waits for that page.
    if (kept(place) || location.pathname === '/reset') void this.load();
    else void this.enter();
  }

  /** Nothing, if it does not come. */
  load(): Promise<Inside | undefined> {
    this.#coming ??= this.#load();
    return this.#coming;
  }

  /** What to do the next time. */
  expect(somebody: boolean) {
    if (somebody) keep(place, true);
    else drop(place);
  }

  async enter() {
    this.Entrance ??= (await import('../accounts/SignInPage.svelte').catch(() => undefined))
      ?.default;
    this.shut = !this.Entrance;
  }

  async #load(): Promise<Inside | undefined> {
    try {
      this.inside = await import('./signed-in.ts');
    } catch {
      this.failed = true;
    }
    return this.inside;
  }
}

export const loading = new Loading();
