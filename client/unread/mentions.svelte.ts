/** Messages that mention this user: search results, and unread mentions that search does not find (`@everyone`). */
import { SvelteMap } from 'svelte/reactivity';
import type { FoundChannel } from '../../shared/channels.ts';
import type { Message } from '../../shared/messages.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { lookedUp, lookUp } from '../messages/lookup.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { errorText } from '../ui/error-text.ts';
import { send } from '../session/socket.ts';

/** Number of pages without a hit after which automatic loading stops. */
const maxAutomatic = 12;
const maxAtOnce = 10;
/** The maximum of lookups; search finds the others. */
const maxLookedUp = 100;

interface MessageRef {
  timelineId: string;
  position: number;
}

const keyOf = ({ timelineId, position }: MessageRef) => `${timelineId}/${position}`;

const unreadMentions = (): MessageRef[] =>
  [...reads.all]
    .filter(([timelineId]) => !conversations.isRequest(timelineId))
    .flatMap(([timelineId, badge]) => badge.mentions.map((position) => ({ timelineId, position })))
    .slice(0, maxLookedUp);

export class Mentions {
  readonly channels = new SvelteMap<string, FoundChannel>();
  more = $state<string>();
  failure = $state<string>();
  isAsking = $state(false);
  hasBegun = $state(false);
  readonly #found = new SvelteMap<string, Message>();

  /** Newest first. */
  get all(): Message[] {
    return [...this.#found.values()]
      .filter(({ deletedAt, authorId }) => deletedAt === undefined && !blocks.has(authorId))
      .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  }

  get #missing(): MessageRef[] {
    return unreadMentions().filter((place) => !this.#found.has(keyOf(place)));
  }

  get lookedUp(): Message[] {
    return this.#missing.flatMap(({ timelineId, position }) => {
      const message = lookedUp(timelineId, position);
      return message === undefined || message === 'none' ? [] : [message];
    });
  }

  get toLookUp(): MessageRef[] {
    return this.#missing
      .filter(({ timelineId, position }) => lookedUp(timelineId, position) === undefined)
      .slice(0, maxAtOnce);
  }

  take(messages: readonly Message[]) {
    for (const message of messages) this.#found.set(keyOf(message), message);
  }

  lookUp(places: readonly MessageRef[]) {
    for (const { timelineId, position } of places) lookUp(timelineId, position);
  }

  async load(): Promise<void> {
    if (this.isAsking || (this.hasBegun && this.more === undefined && !this.failure)) return;
    this.isAsking = true;
    this.failure = undefined;
    try {
      for (let pages = 0; pages < maxAutomatic; pages += 1) {
        const { more } = this;
        const query = 'mentions:me';
        const found = await send('message:search', {
          query,
          ...(more !== undefined && { before: more }),
        });
        people.receive(found.people);
        for (const channel of found.channels) this.channels.set(channel.id, channel);
        this.take(found.hits.map(({ message }) => message));
        this.hasBegun = true;
        this.more = found.more;
        if (found.more === undefined || found.hits.length > 0) break;
      }
    } catch (error) {
      this.failure = errorText(error);
    } finally {
      this.isAsking = false;
    }
  }
}
