import { handleOf } from '../people/looks.ts';
import { people } from '../people/people.svelte.ts';
import type { Somebody } from './spelling.ts';

export function somebody(userId: string): Somebody {
  const person = people.get(userId);
  return { userId, name: person.name, handle: handleOf(person) };
}
