/** A node by itself: everything is in this process, and there is no other node. */
import { newAttendance } from './presence-merge.ts';
import type { Cluster } from './cluster.ts';
import { countHere } from './limits.ts';
import { rememberHere } from './sessions.ts';

export function standAlone(scale: number): Cluster {
  const attendance = newAttendance();
  return {
    limits: countHere(scale),
    leases: {
      set: (userId, said) => attendance.note('here', [[userId, said]]),
      status: (userId) => attendance.status(userId),
      everyone: () => attendance.everyone(),
      onChange: (listener) => attendance.onChange(listener),
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
