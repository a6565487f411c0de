import { setTimeout as sleep } from 'node:timers/promises';
import { closeSocket, type Sockets } from './sockets.ts';

/** In milliseconds. Clients reconnect at a random moment within this time, so that they do not arrive together. */
const comeBackWithin = 1_000;
/** Milliseconds before the first close: a load balancer that polls twice a second must see `draining` first. */
const untilKnown = 1_000;

/**
 * Reports this node as not ready, so that no new clients are sent here, then closes each socket at a random moment of
 * the next `seconds`. Messages under way are acknowledged, or sent again under the same id.
 */
export async function drain(
  node: { draining: boolean; sockets: Sockets },
  seconds: number,
): Promise<void> {
  node.draining = true;
  const sockets = node.sockets.all();
  await Promise.all(
    sockets.map(async (socket) => {
      if (seconds > 0) await sleep(untilKnown + Math.random() * seconds * 1_000);
      closeSocket(socket, {
        code: 'drain',
        reason: 'The server is restarting.',
        retry: true,
        retryAfterMs: Math.round(Math.random() * comeBackWithin),
      });
    }),
  );
}
