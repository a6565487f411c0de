/** Data about messages beyond their rows, for the latest messages only. Dropped with their timeline. */
import { SvelteMap } from 'svelte/reactivity';
import type { Message } from '../../shared/messages.ts';

export class ByMessage<T> {
  readonly #most: number;
  readonly #held = new SvelteMap<string, { timelineId: string; known: T }>();

  constructor(most: number) {
    this.#most = most;
  }

  get(id: string): T | undefined {
    return this.#held.get(id)?.known;
  }

  set({ id, timelineId }: Pick<Message, 'id' | 'timelineId'>, known: T) {
    this.#held.delete(id);
    this.#held.set(id, { timelineId, known });
    const [oldest] = this.#held.keys();
    if (this.#held.size > this.#most && oldest !== undefined) this.#held.delete(oldest);
  }

  forget(timelineId: string) {
    for (const [id, one] of this.#held) if (one.timelineId === timelineId) this.#held.delete(id);
  }
}
