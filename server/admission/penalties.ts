/**
 * Growing reconnect penalty for clients whose connection the server had to close. The first one is free without
 * `leastMs`, so that a phone on a bad network is not affected. A part of the wait is random, so that clients that were
 * closed together do not return together. All nodes keep the penalties in memory, by account and by cookie or token, so
 * that they refuse a client that returns too early without a database lookup.
 *
 * Attack: a client that was closed for not reading reconnects at once, repeatedly. Test: penalties.test.ts.
 */
import { z } from 'zod';
import { ChatError } from '../../shared/failure.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Clock } from '../node/clock.ts';

/** In milliseconds: the wait after the second time, the longest wait, and the time until one time is forgotten. */
const wait = { second: 2_000, maxMs: 60_000, counts: 60_000 };
/** Bounds the memory: the latest accounts and credentials are remembered. */
const maxRemembered = 10_000;

/** Sent between nodes: the account, credential and address that were closed, and their shortest wait. */
const Penalty = z.object({
  penalty: z.object({ keys: z.array(z.string()).max(3), leastMs: z.number() }),
});

export interface Penalties {
  /** Returns the milliseconds that the client must wait: 0 for no wait. */
  add(keys: string[], leastMs?: number): number;
  /** @throws ChatError rate_limited, while the account or credential must wait */
  requireOver(key: string | undefined): void;
  size(): number;
}

interface PenaltyState {
  times: number;
  at: number;
  until: number;
}

export function openPenalties({ clock, cluster }: { clock: Clock; cluster: Cluster }): Penalties {
  const states = new Map<string, PenaltyState>();

  const note = (key: string, leastMs: number): number => {
    const now = clock.now();
    const { times = 0, at = now } = states.get(key) ?? {};
    const counting = Math.max(0, times - Math.floor((now - at) / wait.counts)) + 1;
    const grown = counting === 1 ? 0 : wait.second * 2 ** (counting - 2);
    const ms = Math.max(
      leastMs,
      Math.round(Math.min(grown, wait.maxMs) * (0.5 + Math.random() / 2)),
    );
    states.delete(key);
    states.set(key, { times: counting, at: now, until: now + ms });
    const [oldest = key] = states.keys();
    if (states.size > maxRemembered) states.delete(oldest);
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
      const ms = noteAll(keys, leastMs);
      cluster.broadcast({ penalty: { keys, leastMs: ms } });
      return ms;
    },
    requireOver(key) {
      const left = (states.get(key ?? '')?.until ?? 0) - clock.now();
      if (left > 0)
        throw new ChatError(
          'rate_limited',
          'You were disconnected too often. Try again in a moment.',
          {
            retryAfterMs: Math.ceil(left),
          },
        );
    },
    size: () => states.size,
  };
}
