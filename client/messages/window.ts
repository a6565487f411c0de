/**
 * The part of a timeline that is shown (rule 3 of the client, docs/architecture.md): a run of positions without a hole.
 * A message's position decides what becomes of it, never the kind of change that brought it.
 */

export interface Positioned {
  id: string;
  position: number;
  version: number;
}

export interface Window<M extends Positioned> {
  /** Ascending by position, without a hole. */
  readonly rows: readonly M[];
  /** Whether nothing newer exists than the last row: only then does a new message extend the window. */
  readonly reachesNewest: boolean;
}

/** What `message:list` answers with, in ascending order. */
export interface HistoryPage<M extends Positioned> {
  messages: readonly M[];
  more: { before: boolean; after: boolean };
}

export const firstPosition = (window: Window<Positioned>) => window.rows[0]?.position ?? 1;
/** The position just past the window's end. */
export const nextPosition = (window: Window<Positioned>) =>
  firstPosition(window) + window.rows.length;
export const reachesStart = (window: Window<Positioned>) => firstPosition(window) === 1;

/** The newest messages, as a snapshot brings them. */
export const newest = <M extends Positioned>(rows: readonly M[]): Window<M> => ({
  rows: [...rows].sort((a, b) => a.position - b.position),
  reachesNewest: true,
});

/** Whether taking this row would leave a hole before it. */
export const leavesHole = (window: Window<Positioned>, row: Positioned) =>
  window.reachesNewest && row.position > nextPosition(window);

/**
 * Merges rows that were heard. Inside the window the newer version stays, a tombstone too; the row just past
 * the newest end extends it; all others are dropped. If a hole opens, the window no longer reaches the
 * newest, and the rest is fetched like any other page.
 */
export function merge<M extends Positioned>(window: Window<M>, heard: readonly M[]): Window<M> {
  const rows = [...window.rows];
  const first = firstPosition(window);
  let { reachesNewest } = window;
  for (const row of heard) {
    const index = row.position - first;
    const held = rows[index];
    if (held) {
      if (row.version > held.version) rows[index] = row;
    } else if (reachesNewest && index >= rows.length) {
      if (index === rows.length) rows.push(row);
      else reachesNewest = false;
    }
  }
  return { rows, reachesNewest };
}

/**
 * Joins a page of history to the window it touches; a page from elsewhere (a jump) becomes the window.
 * `meanwhile` are the rows heard while the page was on its way: it may be older than they are.
 */
export function addPage<M extends Positioned>(
  window: Window<M>,
  page: HistoryPage<M>,
  meanwhile: readonly M[] = [],
): Window<M> {
  const pageWindow = { rows: page.messages, reachesNewest: !page.more.after };
  const joined = touches(window, pageWindow) ? unite(window, pageWindow) : pageWindow;
  const late = [...meanwhile].sort((a, b) => a.position - b.position || a.version - b.version);
  return merge(joined, late);
}

/**
 * Lets go of the rows that are farthest from a position, where somebody reads. Only those that `counts` are counted:
 * what nobody sees takes no place from what is seen, and stays with what it stands beside.
 */
export function keepNear<M extends Positioned>(
  window: Window<M>,
  position: number,
  count: number,
  counts: (row: M) => boolean = () => true,
): Window<M> {
  const counted = window.rows.filter(counts);
  const beyond = counted.length - count;
  if (beyond <= 0) return window;
  const middle = counted.filter((row) => row.position < position).length - Math.floor(count / 2);
  const from = Math.min(Math.max(0, middle), beyond);
  const first = from === 0 ? firstPosition(window) : (counted[from]?.position ?? 0);
  const end = counted[from + count]?.position ?? nextPosition(window);
  return {
    rows: window.rows.filter((row) => row.position >= first && row.position < end),
    reachesNewest: window.reachesNewest && from === beyond,
  };
}

/** Whether two windows overlap or lie end to end. An empty one is touched by what could stand in its place. */
const touches = (a: Window<Positioned>, b: Window<Positioned>) =>
  b.rows.length === 0 ||
  (firstPosition(a) <= nextPosition(b) && firstPosition(b) <= nextPosition(a));

function unite<M extends Positioned>(a: Window<M>, b: Window<M>): Window<M> {
  if (b.rows.length === 0) return { ...a, reachesNewest: a.reachesNewest || b.reachesNewest };
  const [older, newer] = nextPosition(a) <= nextPosition(b) ? [a, b] : [b, a];
  const byPosition = new Map(a.rows.map((row) => [row.position, row]));
  for (const row of b.rows) {
    const held = byPosition.get(row.position);
    if (!held || row.version > held.version) byPosition.set(row.position, row);
  }
  const rows = [...byPosition.values()].sort((x, y) => x.position - y.position);
  const sameEnd = nextPosition(older) === nextPosition(newer);
  return { rows, reachesNewest: newer.reachesNewest || (sameEnd && older.reachesNewest) };
}
