/** Telling people apart whose names look the same. */
import type { Person } from '../../shared/people.ts';

/**
 * What names that are taken for each other have in common, whatever their case and spaces. Other alphabets the
 * server has brought to what they look like: `skeleton` is better than a name.
 */
export const lookOf = (skeleton: string): string =>
  skeleton
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[i1|]/g, 'l')
    .replace(/0/g, 'o')
    .replace(/m/g, 'rn');

/** By what they look like: who is called so. */
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

/** What is one person’s alone: their username, or for guests and bots the end of their id. */
export const handleOf = ({ id, username }: Person): string =>
  username === undefined ? `#${id.slice(-4)}` : `@${username}`;
