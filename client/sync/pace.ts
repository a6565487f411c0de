/** The longest rest in milliseconds, because the time of a turn can include a sleep of the device. */
const maxRestMs = 500;

interface Page {
  /** In a hidden page, tasks run without a rest, because nothing is rendered and timers fire late. */
  isHidden: () => boolean;
  /** Calls back once the present task and the rendering that it caused are over. */
  afterRendering: (done: () => void) => void;
}

/**
 * Runs tasks in order, and keeps the page responsive when many arrive: after each turn it rests for as long as the turn
 * and its rendering took. Tasks that arrive during a rest run in the next turn, so that they are rendered together.
 */
export class Pace {
  readonly #page: Page;
  readonly #waiting: (() => void)[] = [];
  #isResting = false;

  constructor(page: Page) {
    this.#page = page;
  }

  run(task: () => void) {
    this.#waiting.push(task);
    if (this.#isResting && !this.#page.isHidden()) return;
    if (!this.#isResting) this.#rest();
    this.flush();
  }

  /**
   * Runs the waiting tasks immediately. If one throws, the error is reported and the others run. A task can flush, too:
   * then the tasks after it run first.
   */
  flush() {
    for (let task = this.#waiting.shift(); task; task = this.#waiting.shift())
      try {
        task();
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
  }

  #rest() {
    const began = performance.now();
    this.#isResting = true;
    this.#page.afterRendering(() => {
      const turnMs = performance.now() - began;
      if (turnMs < 1) this.#endRest();
      else setTimeout(() => this.#endRest(), Math.min(turnMs, maxRestMs));
    });
  }

  #endRest() {
    this.#isResting = false;
    if (this.#waiting.length === 0) return;
    this.#rest();
    this.flush();
  }
}
