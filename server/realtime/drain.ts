import { setTimeout as sleep } from 'node:timers/promises';
import { closeSocket, type Sockets } from './sockets.ts';

/** Clients come back to another node within this time, in milliseconds: not all at the same moment. */
const comeBackWithin = 1_000;
/** In milliseconds: a load balancer that asks twice a second knows by then. A client that is closed earlier may be sent back here. */
const untilKnown = 1_000;

/**
 * Leaves in order: this node says that it is not ready, so that nobody new is sent here, and lets everyone go
 * one by one, each at a random moment of the next `seconds`. What they were writing is answered, or sent
 * again under the same id.
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
