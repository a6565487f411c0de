/** Finds people with similar-looking names in a server or the conversations, among those known to the client. */
import { lookOf } from '../../shared/looks.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { friendRequests, friendships } from '../friends/friends.svelte.ts';
import { groupByLook, handleOf } from '../people/looks.ts';
import { people } from '../people/people.svelte.ts';
import { members } from './members.svelte.ts';

/** The people of a place by the look of their name. Recomputed only when people or names change. */
class LookIndex {
  readonly #id: string;
  readonly byLook = $derived.by(() =>
    groupByLook(inPlace(this.#id), (userId) => lookIn(this.#id, userId)),
  );

  constructor(id: string) {
    this.#id = id;
  }
}

/** The id of the place where all conversations are listed, with the people known outside of servers. */
export const direct = 'direct';

function inPlace(id: string): readonly string[] {
  if (id === direct)
    return [
      ...new Set([
        ...friendships.all.map(({ userId }) => userId),
        ...friendRequests.all.flatMap(({ senderId, recipientId }) => [senderId, recipientId]),
        ...conversations.all.flatMap(({ kind, participantIds }) =>
          kind === 'pair' ? participantIds : [],
        ),
      ]),
    ];
  return conversations.get(id)?.participantIds ?? members.known(id).map(({ userId }) => userId);
}

function lookIn(id: string, userId: string): string {
  const nickname = id === direct ? friendships.with(userId)?.nickname : undefined;
  const member = members.get(id, userId);
  const { name, skeleton = name } = people.get(userId);
  const called = member?.nickname ? (member.skeleton ?? member.nickname) : skeleton;
  return lookOf(nickname ?? called);
}

class Namesakes {
  readonly #indexes = new Map<string, LookIndex>();

  of(placeId: string, userId: string): string[] {
    return this.#alike(placeId, userId).filter((id) => id !== userId);
  }

  /** The handle beside a name, if it looks like another one in the place. */
  handle(placeId: string, userId: string): string | undefined {
    const isShared = this.#alike(placeId, userId).some((id) => id !== userId);
    return isShared ? handleOf(people.get(userId)) : undefined;
  }

  #alike(placeId: string, userId: string): readonly string[] {
    if (!this.#indexes.has(placeId)) this.#open(placeId);
    return this.#indexes.get(placeId)?.byLook.get(lookIn(placeId, userId)) ?? [];
  }

  #open(placeId: string): void {
    // In its own effect root, because it outlives the row that asks first.
    $effect.root(() => void this.#indexes.set(placeId, new LookIndex(placeId)));
  }
}

export const namesakes = new Namesakes();
