/** Limits an account's connections to this node. Attack: one account opens thousands. Test: connections.test.ts. */
import type { Socket } from 'socket.io';
import { conflict } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';

export type EngineConnection = Socket['conn'];

export interface ConnectionSlots {
  /** @throws ChatError conflict, when all slots of the account are taken */
  take(userId: string, connection: EngineConnection): void;
}

export function openConnectionSlots(): ConnectionSlots {
  const taken = new Map<string, number>();
  const release = (userId: string) => {
    const left = (taken.get(userId) ?? 0) - 1;
    if (left > 0) taken.set(userId, left);
    else taken.delete(userId);
  };
  return {
    take(userId, connection) {
      // A closed connection does not emit `close` again, so it would hold its slot for ever.
      if (connection.readyState !== 'open') throw conflict('This connection has closed.');
      const mine = taken.get(userId) ?? 0;
      // No await between the check and the increment: handshakes of one account run concurrently.
      if (mine >= quotas.socketsPerPerson)
        throw conflict(`You can have up to ${quotas.socketsPerPerson} connections at a time.`);
      taken.set(userId, mine + 1);
      connection.once('close', () => release(userId));
    },
  };
}
