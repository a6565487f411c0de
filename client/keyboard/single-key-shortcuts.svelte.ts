/** Whether single keys mean anything: on this device, until somebody turns them off (WCAG 2.1.4). */
import { keep, kept } from '../device/storage.ts';

const place = 'single-keys';

class Singles {
  #on = $state(kept(place) !== false);

  get on() {
    return this.#on;
  }

  set on(on: boolean) {
    this.#on = on;
    keep(place, on);
  }
}

export const singles = new Singles();
