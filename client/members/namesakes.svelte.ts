/** Who in a server or a conversation could be taken for whom, of all who are known here. */
import { conversations } from '../conversations/conversations.svelte.ts';
import { friendRequests, friendships } from '../friends/friends.svelte.ts';
import { groupByLook, handleOf, lookOf } from '../people/looks.ts';
import { people } from '../people/people.svelte.ts';
import { members } from './members.svelte.ts';

/** Read anew only when somebody comes, goes or is called something else, however many rows ask. */
class Place {
  readonly #id: string;
  readonly byLook = $derived.by(() =>
    groupByLook(inPlace(this.#id), (userId) => lookIn(this.#id, userId)),
  );

  constructor(id: string) {
    this.#id = id;
  }
}

/** Where my conversations are listed, with those whom I know outside of servers. */
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
  readonly #places = new Map<string, Place>();

  /** Those other people in a place whose names look like this one’s. */
  of(placeId: string, userId: string): string[] {
    return this.#alike(placeId, userId).filter((id) => id !== userId);
  }

  /** What stands beside a name that is not somebody’s alone there. */
  handle(placeId: string, userId: string): string | undefined {
    const isShared = this.#alike(placeId, userId).some((id) => id !== userId);
    return isShared ? handleOf(people.get(userId)) : undefined;
  }

  #alike(placeId: string, userId: string): readonly string[] {
    if (!this.#places.has(placeId)) this.#open(placeId);
    return this.#places.get(placeId)?.byLook.get(lookIn(placeId, userId)) ?? [];
  }

  #open(placeId: string): void {
    // Under a root of its own: it outlives the row that asks first.
    $effect.root(() => void this.#places.set(placeId, new Place(placeId)));
  }
}

export const namesakes = new Namesakes();
