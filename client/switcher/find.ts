/** The matching places, best first, in groups; without text, the most likely ones. */
import fuzzysort, { type Result } from 'fuzzysort';

export interface Destination {
  id: string;
  kind:
    | 'channel'
    | 'conversation'
    | 'person'
    | 'server'
    | 'message'
    | 'messages'
    | 'date'
    | 'mentions'
    | 'unread';
  /** Visible to some members only. */
  private: boolean;
  name: string;
  also: string;
  /** Distinguishes it from others with that name. */
  about: string;
  go: () => void;
  unread: number;
  /** 0 for the place visited last; `Infinity` if not visited recently. */
  visitedAgo: number;
}

export interface SwitcherHit {
  destination: Destination;
  name: { text: string; typed: boolean }[];
}

export interface ResultGroup {
  title: string;
  found: SwitcherHit[];
}

const maxFound = 30;

export function find(
  all: readonly Destination[],
  typed: string,
  here: string | undefined,
  /** Ids that the server found, because it knows more spellings of a name. */
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

/** Without text no people are offered, because there are too many. */
const likely = (all: readonly Destination[]): SwitcherHit[] =>
  all
    .filter(({ kind }) => kind !== 'person')
    .toSorted((a, b) => Math.min(a.visitedAgo, 1_000) - Math.min(b.visitedAgo, 1_000))
    .map(plain)
    .slice(0, maxFound);

function matching(
  all: readonly Destination[],
  typed: string,
  foundIds: ReadonlySet<string>,
): SwitcherHit[] {
  const keys = ['name', 'also'];
  const results = fuzzysort.go(typed, all, { keys, limit: maxFound, threshold: 0.2 });
  const fitting = new Set(results.map(({ obj }) => obj));
  return [
    ...results.map(({ obj, 0: name }) =>
      name && name.score > 0 ? { destination: obj, name: stretches(name) } : plain(obj),
    ),
    ...all.filter((one) => foundIds.has(one.id) && !fitting.has(one)).map(plain),
  ];
}

export const plain = (destination: Destination): SwitcherHit => ({
  destination,
  name: [{ text: destination.name, typed: false }],
});

const stretches = (name: Result): SwitcherHit['name'] =>
  name
    .highlight((text) => ({ text, typed: true }))
    .map((part) => (typeof part === 'string' ? { text: part, typed: false } : part));
