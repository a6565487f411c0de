import { newMergedPresence } from './presence-merge.ts';
import type { Clock } from '../node/clock.ts';
import type { Cluster } from './cluster.ts';
import { countHere } from './limits.ts';
import { rememberHere } from './sessions.ts';

export function standAlone(scale: number, clock: Clock): Cluster {
  const merged = newMergedPresence();
  return {
    limits: countHere(scale, clock),
    leases: {
      set: (userId, said) => merged.note('here', [[userId, said]]),
      status: (userId) => merged.status(userId),
      everyone: () => merged.everyone(),
      onChange: (listener) => merged.onChange(listener),
    },
    sessions: rememberHere(),
    broadcast: () => undefined,
    onMessage: () => undefined,
    isSubscribed: () => true,
    onResubscribed: () => undefined,
    healthy: async () => ({ publish: true, subscribe: true }),
    close: async () => undefined,
  };
}
