/** Points for the people that a change notifies. */
import { commandRates } from '../../shared/limits.ts';

/** People who receive a change of a private channel or of their own room, for one additional point. */
export const notifiedPerPoint = 100;

interface Payer {
  user: { id: string };
  node: {
    config: { PARLEY_RATE_SCALE: number };
    limits: { take: (kind: 'write', userId: string, points: number) => Promise<void> };
  };
}

/** Charges more points for a change, capped so that an unused budget is always enough. */
export async function takeMore({ node, user }: Payer, points: number): Promise<void> {
  const all = Math.round(commandRates.write.points * node.config.PARLEY_RATE_SCALE);
  const more = Math.min(points, all - 1);
  if (more > 0) await node.limits.take('write', user.id, more);
}
