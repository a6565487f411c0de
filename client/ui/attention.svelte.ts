/** Whether the user is present: the page is visible and has the focus. */
import { on } from 'svelte/events';
import { createSubscriber } from 'svelte/reactivity';

class Attention {
  readonly #subscribe = createSubscriber((update) => {
    const stops = [
      on(window, 'focus', update),
      on(window, 'blur', update),
      on(document, 'visibilitychange', update),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  });

  get here() {
    this.#subscribe();
    return !document.hidden && document.hasFocus();
  }
}

export const attention = new Attention();
