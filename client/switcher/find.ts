/** What fits what was typed, the likeliest first, in groups; with nothing typed, what one would want next. */
import fuzzysort, { type Result } from 'fuzzysort';
import type { Destination } from './destinations.ts';

export interface Found {
  destination: Destination;
  /** The name, in stretches that were typed and stretches that were not. */
  name: { text: string; typed: boolean }[];
}

export interface ResultGroup {
  title: string;
  found: Found[];
}

const most = 30;

export function find(
  all: readonly Destination[],
  typed: string,
  here: string | undefined,
  /** By the server, which knows more spellings of a name. */
  foundIds: ReadonlySet<string>,
): ResultGroup[] {
  const others = all.filter(({ id }) => id !== here);
  const found = typed.trim() === '' ? likely(others) : matching(others, typed.trim(), foundIds);
  const unread = found.filter(({ destination }) => destination.unread > 0);
  const rest = found.filter(({ destination }) => destination.unread === 0);
  const ofKind = (kind: Destination['kind']) =>
    rest.filter(({ destination }) => destination.kind === kind);
  return [
    { title: 'Unread', found: unread },
    { title: 'Channels', found: ofKind('channel') },
    { title: 'Conversations', found: ofKind('conversation') },
    { title: 'People', found: ofKind('person') },
    { title: 'Servers', found: ofKind('server') },
  ].filter(({ found }) => found.length > 0);
}

/** Of people there are too many to offer before a letter is typed. */
const likely = (all: readonly Destination[]): Found[] =>
  all
    .filter(({ kind }) => kind !== 'person')
    .toSorted((a, b) => Math.min(a.visitedAgo, 1_000) - Math.min(b.visitedAgo, 1_000))
    .map(plain)
    .slice(0, most);

function matching(
  all: readonly Destination[],
  typed: string,
  foundIds: ReadonlySet<string>,
): Found[] {
  const keys = ['name', 'also'];
  const results = fuzzysort.go(typed, all, { keys, limit: most, threshold: 0.2 });
  const fitting = new Set(results.map(({ obj }) => obj));
  return [
    ...results.map(({ obj, 0: name }) =>
      name && name.score > 0 ? { destination: obj, name: stretches(name) } : plain(obj),
    ),
    ...all.filter((one) => foundIds.has(one.id) && !fitting.has(one)).map(plain),
  ];
}

export const plain = (destination: Destination): Found => ({
  destination,
  name: [{ text: destination.name, typed: false }],
});

const stretches = (name: Result): Found['name'] =>
  name
    .highlight((text) => ({ text, typed: true }))
    .map((part) => (typeof part === 'string' ? { text: part, typed: false } : part));
