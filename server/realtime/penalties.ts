/**
 * Who had to be closed stays away for a while: the first time not at all, so that a phone on a bad network feels
 * nothing, and then for longer each time. All nodes hear of it and keep it in memory: whoever comes too early is
 * refused before anything is looked up, by the account and by the cookie or token that they came with.
 */
import { z } from 'zod';
import { ChatError } from '../../shared/failure.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Clock } from '../node/clock.ts';

/** In milliseconds: after the second time, at most, and for how long one time counts. */
const wait = { second: 2_000, most: 60_000, counts: 60_000 };
/** So many accounts and credentials are remembered, the latest. */
const mostRemembered = 10_000;

/** Who was closed, and how long they stay away at least. */
const Penalty = z.object({
  penalty: z.object({ keys: z.array(z.string()).max(2), leastMs: z.number() }),
});

export interface Penalties {
  /** Somebody had to be closed. Answers with how long they stay away, in milliseconds: 0 for not at all. */
  add(keys: string[], leastMs?: number): number;
  /** @throws ChatError rate_limited, while whoever has this id or credential stays away */
  requireOver(key: string | undefined): void;
  size(): number;
}

interface Standing {
  times: number;
  /** When the last time was, and until when they stay away. */
  at: number;
  until: number;
}

export function openPenalties({ clock, cluster }: { clock: Clock; cluster: Cluster }): Penalties {
  const standings = new Map<string, Standing>();

  const note = (key: string, leastMs: number): number => {
    const now = clock.now();
    const { times = 0, at = now } = standings.get(key) ?? {};
    const counting = Math.max(0, times - Math.floor((now - at) / wait.counts)) + 1;
    const grown = counting === 1 ? 0 : wait.second * 2 ** (counting - 2);
    const ms = Math.max(leastMs, Math.min(grown, wait.most));
    standings.delete(key);
    standings.set(key, { times: counting, at: now, until: now + ms });
    const [oldest = key] = standings.keys();
    if (standings.size > mostRemembered) standings.delete(oldest);
    return ms;
  };
  const noteAll = (keys: string[], leastMs: number) =>
    Math.max(...keys.map((key) => note(key, leastMs)));

  cluster.onMessage((message) => {
    const { data } = Penalty.safeParse(message);
    if (data) noteAll(data.penalty.keys, data.penalty.leastMs);
  });

  return {
    add(keys, leastMs = 0) {
      cluster.broadcast({ penalty: { keys, leastMs } });
      return noteAll(keys, leastMs);
    },
    requireOver(key) {
      const left = (standings.get(key ?? '')?.until ?? 0) - clock.now();
      if (left > 0)
        throw new ChatError(
          'rate_limited',
          'You were disconnected too often. Try again in a moment.',
          {
            retryAfterMs: Math.ceil(left),
          },
        );
    },
    size: () => standings.size,
  };
}
