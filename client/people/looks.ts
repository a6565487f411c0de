import type { Person } from '../../shared/people.ts';

export function groupByLook<P>(people: readonly P[], look: (one: P) => string): Map<string, P[]> {
  const groups = new Map<string, P[]>();
  for (const one of people) {
    const shared = look(one);
    const group = groups.get(shared);
    if (group) group.push(one);
    else groups.set(shared, [one]);
  }
  return groups;
}

/** A handle that identifies a person: the username, or for guests and bots the end of the id. */
export const handleOf = ({ id, username }: Person): string =>
  username === undefined ? `#${id.slice(-4)}` : `@${username}`;
