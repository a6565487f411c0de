/** A separate process for all attackers, so that they take no time from the honest people who are measured. */
import { attacks, newCount, type Count, type Target } from './attacks.ts';
import { takePriority } from './priority.ts';

export type Order = { do: 'prepare' | 'start'; target: Target; only: string } | { do: 'stop' };
export type Counts = Record<string, Count>;

if (process.argv[2] === 'hostile') takePriority('hostile');

let attacking = false;
let running: Promise<unknown> = Promise.resolve();
const counts: Counts = Object.fromEntries(Object.keys(attacks).map((name) => [name, newCount()]));

process.on('message', (order: Order) => {
  void obey(order).then(
    () => process.send?.({ counts }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});

process.on('disconnect', () => process.exit());

const meant = (only: string) => Object.entries(attacks).filter(([name]) => name.includes(only));

async function obey(order: Order): Promise<void> {
  if (order.do === 'prepare')
    for (const [, { prepare }] of meant(order.only)) await prepare?.(order.target);
  if (order.do === 'start') {
    attacking = true;
    running = Promise.all(
      meant(order.only).map(([name, { run }]) =>
        run(order.target, counts[name] ?? newCount(), () => attacking),
      ),
    );
  }
  if (order.do === 'stop') {
    attacking = false;
    await running;
  }
}
