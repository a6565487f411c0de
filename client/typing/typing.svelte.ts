/** The people who are typing in each timeline, and sending that this user is typing. */
import { SvelteMap } from 'svelte/reactivity';
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { onChange } from '../session/change-listeners.ts';
import { isOpen, on, send } from '../session/socket.ts';

type Timer = ReturnType<typeof setTimeout>;

const shownMs = 5_000;
const repeatMs = 3_000;
/** An author’s typing is ignored for so long after their message, in milliseconds: the event can be older. */
const late = 500;

class Typing {
  /** By timeline: the people who are typing, in the order in which they began. */
  readonly #writers = new SvelteMap<string, SvelteMap<string, Timer>>();
  readonly #spoke = new Set<string>();
  #said: { timelineId: string; at: number } | undefined;

  in(timelineId: string): string[] {
    const writers = this.#writers.get(timelineId)?.keys() ?? [];
    return [...writers].filter((userId) => !blocks.has(userId));
  }

  receive(timelineId: string, userId: string) {
    if (this.#spoke.has(timelineId + userId)) return;
    const writers = this.#writers.get(timelineId) ?? new SvelteMap<string, Timer>();
    clearTimeout(writers.get(userId));
    writers.set(
      userId,
      setTimeout(() => {
        this.end(timelineId, userId);
      }, shownMs),
    );
    if (!this.#writers.has(timelineId)) this.#writers.set(timelineId, writers);
  }

  end(timelineId: string, userId: string) {
    const writers = this.#writers.get(timelineId);
    clearTimeout(writers?.get(userId));
    writers?.delete(userId);
    if (writers?.size === 0) this.#writers.delete(timelineId);
    // After sending, the next key starts a new message, so typing is sent again at once.
    if (userId === account.id && this.#said?.timelineId === timelineId) this.#said = undefined;
  }

  /** Called when a message was sent, so its author is no longer typing it. */
  spoke(timelineId: string, userId: string) {
    this.end(timelineId, userId);
    this.#spoke.add(timelineId + userId);
    setTimeout(() => this.#spoke.delete(timelineId + userId), late);
  }

  /** If the person is typing in another timeline, the next event arrives within seconds. */
  endEverywhere(userId: string) {
    for (const timelineId of [...this.#writers.keys()]) this.end(timelineId, userId);
  }

  say(timelineId: string) {
    const { timelineId: where, at = 0 } = this.#said ?? {};
    if (!isOpen() || (where === timelineId && Date.now() - at < repeatMs)) return;
    this.#said = { timelineId, at: Date.now() };
    send('typing:set', { timelineId }).catch(() => undefined);
  }
}

export const typing = new Typing();

on('typing', ({ timelineId, userId }) => {
  typing.receive(timelineId, userId);
});
onChange((_room, change) => {
  if (change.type === 'message:created')
    typing.spoke(change.message.timelineId, change.message.authorId);
  else if (change.type === 'member:left' || change.type === 'member:removed')
    typing.endEverywhere(change.userId);
  else if (change.type === 'member:updated' && change.member.timeoutUntil !== undefined)
    typing.endEverywhere(change.member.userId);
});
