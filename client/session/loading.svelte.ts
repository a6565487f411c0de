/** Gets signed-in.ts: at once where somebody is signed in, or was the last time; else while they sign in. */
import type * as inside from './signed-in.ts';
import { drop, keep, kept } from '../device/storage.ts';

type Inside = typeof inside;

/** Somebody is signed in on this device. */
const place = 'inside';

class Loading {
  inside = $state.raw<Inside>();
  failed = $state(false);
  #coming: Promise<Inside | undefined> | undefined;

  constructor() {
    // Few come for a new password: nobody else waits for that page.
    if (kept(place) || location.pathname === '/reset') void this.load();
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
