import { load, save } from '../device/storage.ts';

const key = 'single-keys';

class SingleKeys {
  #on = $state(load(key) !== false);

  get on() {
    return this.#on;
  }

  set on(on: boolean) {
    this.#on = on;
    save(key, on);
  }
}

export const singleKeys = new SingleKeys();
