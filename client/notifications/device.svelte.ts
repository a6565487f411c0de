import { asRecord, save, load, onSavedElsewhere } from '../device/storage.ts';

const key = 'notifications';

interface Choices {
  on: boolean;
  /** Hides the text of messages, because others can see the screen. */
  hidesText: boolean;
  sound: boolean;
  /** The user whose messages are pushed to this device while no page is open; undefined if off. */
  pushedTo?: string | undefined;
}

const read = (found: unknown): Choices => {
  const { on, hidesText, sound, pushedTo } = asRecord(found);
  return {
    ...{ on: on === true, hidesText: hidesText === true, sound: sound === true },
    pushedTo: typeof pushedTo === 'string' ? pushedTo : undefined,
  };
};

class DeviceNotifications {
  #chosen = $state.raw(read(load(key)));

  constructor() {
    onSavedElsewhere((changed, value) => {
      if (changed === key) this.#chosen = read(value);
    });
  }

  get chosen(): Choices {
    return this.#chosen;
  }

  choose(choices: Partial<Choices>) {
    this.#chosen = { ...this.#chosen, ...choices };
    save(key, this.#chosen);
  }

  /** Browsers allow notifications only for pages over HTTPS or from this machine. */
  get isPossible(): boolean {
    return 'Notification' in globalThis && 'serviceWorker' in navigator && 'locks' in navigator;
  }

  get isOn(): boolean {
    return this.#chosen.on && this.isPossible && Notification.permission === 'granted';
  }
}

export const device = new DeviceNotifications();
