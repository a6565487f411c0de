/**
 * The part of a timeline that is shown (rule 3 of the client, docs/architecture.md): contiguous positions. The effect
 * of a message depends on its position, never on the kind of change that carried it.
 */

export interface Positioned {
  id: string;
  position: number;
  version: number;
}

export interface TimelineWindow<M extends Positioned> {
  /** Ascending by position and contiguous. */
  readonly rows: readonly M[];
  /** True if the last row is the newest message. Only then does a new message extend the window. */
  readonly reachesNewest: boolean;
}

/** The answer of `message:list`, in ascending order. */
export interface HistoryPage<M extends Positioned> {
  messages: readonly M[];
  more: { before: boolean; after: boolean };
}

export const firstPosition = (window: TimelineWindow<Positioned>) => window.rows[0]?.position ?? 1;
export const nextPosition = (window: TimelineWindow<Positioned>) =>
  firstPosition(window) + window.rows.length;
export const reachesStart = (window: TimelineWindow<Positioned>) => firstPosition(window) === 1;

export const newest = <M extends Positioned>(rows: readonly M[]): TimelineWindow<M> => ({
  rows: [...rows].sort((a, b) => a.position - b.position),
  reachesNewest: true,
});

export const leavesHole = (window: TimelineWindow<Positioned>, row: Positioned) =>
  window.reachesNewest && row.position > nextPosition(window);

/**
 * Merges rows. Inside the window the newer version stays, even if it is a tombstone. The row just past the newest end
 * extends the window; all others are dropped. If a hole opens, the window no longer reaches the newest message, and the
 * rest is loaded like any other page. Returns the same window if nothing changes.
 */
export function merge<M extends Positioned>(
  window: TimelineWindow<M>,
  received: readonly M[],
): TimelineWindow<M> {
  const rows = [...window.rows];
  const first = firstPosition(window);
  let { reachesNewest } = window;
  let isChanged = false;
  for (const row of received) {
    const index = row.position - first;
    const held = rows[index];
    const isNews = held ? row.version > held.version : reachesNewest && index >= rows.length;
    if (!isNews) continue;
    isChanged = true;
    if (index > rows.length) reachesNewest = false;
    else rows[index] = row;
  }
  return isChanged ? { rows, reachesNewest } : window;
}

/**
 * Joins a page of history to the window if they touch. Otherwise (after a jump) the page becomes the window.
 * `meanwhile`: rows received while the page was loading, because they can be newer than the page.
 */
export function addPage<M extends Positioned>(
  window: TimelineWindow<M>,
  page: HistoryPage<M>,
  meanwhile: readonly M[] = [],
): TimelineWindow<M> {
  const pageWindow = { rows: page.messages, reachesNewest: !page.more.after };
  const joined = touches(window, pageWindow) ? unite(window, pageWindow) : pageWindow;
  const late = [...meanwhile].sort((a, b) => a.position - b.position || a.version - b.version);
  return merge(joined, late);
}

/**
 * Drops the rows farthest from the reader's position. Only rows that `counts` accepts are counted. Rows that are not
 * shown take no place from shown ones, and stay with their neighbors.
 */
export function keepNear<M extends Positioned>(
  window: TimelineWindow<M>,
  position: number,
  count: number,
  counts: (row: M) => boolean = () => true,
): TimelineWindow<M> {
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

/** True if two windows overlap or are adjacent. An empty window touches every window that could replace it. */
const touches = (a: TimelineWindow<Positioned>, b: TimelineWindow<Positioned>) =>
  b.rows.length === 0 ||
  (firstPosition(a) <= nextPosition(b) && firstPosition(b) <= nextPosition(a));

function unite<M extends Positioned>(
  a: TimelineWindow<M>,
  b: TimelineWindow<M>,
): TimelineWindow<M> {
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
