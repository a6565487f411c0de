/** Who in a server or a conversation could be taken for whom, of all who are known here. */
import { conversations } from '../conversations/conversations.svelte.ts';
import { groupByLook, handleOf, lookOf } from '../people/looks.ts';
import { people } from '../people/people.svelte.ts';
import { crowds } from './crowds.svelte.ts';
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

const inPlace = (id: string): readonly string[] =>
  conversations.get(id)?.participantIds ?? [
    ...new Set([...members.of(id).map(({ userId }) => userId), ...crowds.met(id)]),
  ];

function lookIn(id: string, userId: string): string {
  const member = members.get(id, userId);
  const { name, skeleton = name } = people.get(userId);
  return lookOf(member?.nickname ? (member.skeleton ?? member.nickname) : skeleton);
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
