/** Who is writing where, as it was heard; and saying that I am. */
import { SvelteMap } from 'svelte/reactivity';
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { listen } from '../session/change-listeners.ts';
import { isOpen, on, send } from '../session/socket.ts';

type Timer = ReturnType<typeof setTimeout>;

const lasts = 5_000;
const pause = 3_000;
/** So long after a message it is not believed that its author writes another. */
const late = 500;

class Typing {
  /** By timeline: who is writing there, in the order in which they began. */
  readonly #writers = new SvelteMap<string, SvelteMap<string, Timer>>();
  /** Who has just said something where: that they were writing it may be heard after it. */
  readonly #spoke = new Set<string>();
  #said: { timelineId: string; at: number } | undefined;

  /** Without those whom I block. */
  in(timelineId: string): string[] {
    const writers = this.#writers.get(timelineId)?.keys() ?? [];
    return [...writers].filter((userId) => !blocks.has(userId));
  }

  hear(timelineId: string, userId: string) {
    if (this.#spoke.has(timelineId + userId)) return;
    const writers = this.#writers.get(timelineId) ?? new SvelteMap<string, Timer>();
    clearTimeout(writers.get(userId));
    writers.set(
      userId,
      setTimeout(() => {
        this.end(timelineId, userId);
      }, lasts),
    );
    if (!this.#writers.has(timelineId)) this.#writers.set(timelineId, writers);
  }

  end(timelineId: string, userId: string) {
    const writers = this.#writers.get(timelineId);
    clearTimeout(writers?.get(userId));
    writers?.delete(userId);
    if (writers?.size === 0) this.#writers.delete(timelineId);
    // What I write next is something new, even if it is soon.
    if (userId === account.id && this.#said?.timelineId === timelineId) this.#said = undefined;
  }

  /** Said, it is no longer being written. */
  spoke(timelineId: string, userId: string) {
    this.end(timelineId, userId);
    this.#spoke.add(timelineId + userId);
    setTimeout(() => this.#spoke.delete(timelineId + userId), late);
  }

  /** Where else they write, they will be heard again within seconds. */
  endEverywhere(userId: string) {
    for (const timelineId of [...this.#writers.keys()]) this.end(timelineId, userId);
  }

  /** I am writing there: said now and then, for as long as I do. */
  say(timelineId: string) {
    const { timelineId: where, at = 0 } = this.#said ?? {};
    if (!isOpen() || (where === timelineId && Date.now() - at < pause)) return;
    this.#said = { timelineId, at: Date.now() };
    send('typing:set', { timelineId }).catch(() => undefined);
  }
}

export const typing = new Typing();

on('typing', ({ timelineId, userId }) => {
  typing.hear(timelineId, userId);
});
listen((_room, change) => {
  if (change.type === 'message:created')
    typing.spoke(change.message.timelineId, change.message.authorId);
  // People who are gone write nothing any longer.
  else if (change.type === 'member:left' || change.type === 'member:removed')
    typing.endEverywhere(change.userId);
});
