/** A person's connection whose events can be held back, to arrive late, in another order, or never. */
import { PersonLink } from './person-link.ts';
import type { Person } from './person.ts';
import { until } from './time.ts';

export class FaultyLink extends PersonLink {
  #held: (() => void)[] | undefined;

  constructor(person: Person) {
    super(person);
    const on = this.on as (event: string, listener: (payload: never) => void) => void;
    this.on = (event: string, listener: (payload: never) => void) => {
      on(event, (payload) => {
        if (this.#held && event === 'changes') this.#held.push(() => listener(payload));
        else listener(payload);
      });
    };
  }

  /** Holds back the changes that `work` causes, until there are `count`. Calling one delivers it. */
  async holdBack(count: number, work: () => Promise<unknown>): Promise<(() => void)[]> {
    const held: (() => void)[] = [];
    this.#held = held;
    await work();
    await until(() => held.length === count);
    this.#held = undefined;
    return held;
  }
}
