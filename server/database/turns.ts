/** What one node at a time does in the background, in slices and with rests, so that people hardly notice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { query, type Db } from './database.ts';

/** So many seconds one node works before another may. */
export const turnSeconds = 1;

/** How many times as long as a slice took it rests after that: usually, and while the machine has nothing left. */
export interface Rest {
  usual: number;
  pressed: number;
}

/** Does one slice after the other for a turn, or until one answers that there is no more. */
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

/**
 * Whether the caller may do what one node at a time does, for so many seconds: the first that asks may. A row says
 * so and not a lock, which would keep a transaction open all the while; what two do at once must do no harm.
 */
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
