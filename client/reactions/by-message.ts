/** Data about messages beyond their rows, for the latest messages only. Dropped with their timeline. */
import { SvelteMap } from 'svelte/reactivity';
import type { Message } from '../../shared/messages.ts';

export class ByMessage<T> {
  readonly #capacity: number;
  readonly #held = new SvelteMap<string, { timelineId: string; known: T }>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(id: string): T | undefined {
    return this.#held.get(id)?.known;
  }

  set({ id, timelineId }: Pick<Message, 'id' | 'timelineId'>, known: T) {
    this.#held.delete(id);
    this.#held.set(id, { timelineId, known });
    const [oldest] = this.#held.keys();
    if (this.#held.size > this.#capacity && oldest !== undefined) this.#held.delete(oldest);
  }

  forget(timelineId: string) {
    for (const [id, one] of this.#held) if (one.timelineId === timelineId) this.#held.delete(id);
  }
}
