import type { Shown } from './reactions.svelte.ts';

const maxNamed = 5;
const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Text like “You, Ben and 3 others”. People that the row does not name count as others. */
export function reactorSummary(
  { count, userIds, mine }: Shown,
  me: string,
  nameOf: (userId: string) => string | undefined,
): string {
  const names = userIds
    .filter((id) => id !== me)
    .flatMap((id) => nameOf(id) ?? [])
    .slice(0, maxNamed);
  const named = mine ? ['You', ...names] : names;
  const others = count - named.length;
  if (named.length === 0) return count === 1 ? '1 person' : `${count.toLocaleString()} people`;
  if (others <= 0) return list.format(named);
  return list.format([...named, `${others.toLocaleString()} ${others === 1 ? 'other' : 'others'}`]);
}
