/** Background work that one node does at a time, in slices with rests between them, so that people hardly notice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { query, type Db } from './database.ts';

/** How many seconds one node works before another can. */
export const turnSeconds = 1;

/** The rest after a slice, as a multiple of the time that it took: usually, and under pressure. */
export interface Rest {
  usual: number;
  pressed: number;
}

/** Runs slices for one turn, or until one returns false: no work is left. */
export async function workInSlices(
  node: { draining: boolean; isPressed: () => boolean },
  rest: Rest,
  slice: () => Promise<boolean>,
): Promise<void> {
  const end = performance.now() + turnSeconds * 1_000;
  while (!node.draining && performance.now() < end) {
    const began = performance.now();
    if (!(await slice())) return;
    const took = performance.now() - began;
    await sleep(took * (node.isPressed() ? rest.pressed : rest.usual));
  }
}

/** Claims by a row, because a lock would keep a transaction open. Two nodes can overlap: the work must tolerate it. */
export async function claimTurn(db: Db, name: string, seconds: number): Promise<boolean> {
  const claimed = await query(
    db,
    `insert into settings (key, value) values ($1, now()::text)
     on conflict (key) do update set value = excluded.value
       where settings.value::timestamptz < now() - $2 * interval '1 second'
     returning key`,
    [`turn: ${name}`, seconds],
  );
  return claimed.length === 1;
}
