import type { Output } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import { findPeople } from '../people/people.ts';
import { requireAdministrator } from '../administration/access.ts';
import { readTransaction } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import { storageLimit } from './allowance.ts';
import { largestUploaders, usedBytes } from './usage-store.ts';

/** @throws ChatError forbidden */
export const usageFor = (caller: Caller): Promise<Output<'file:usage'>> =>
  readTransaction(caller.db, async (db) => {
    await requireAdministrator(db, caller);
    const largest = await largestUploaders(db, quotas.largestUploaders);
    const people = await findPeople(
      db,
      largest.flatMap(({ userId }) => userId ?? []),
    );
    return {
      bytes: await usedBytes(db),
      limit: storageLimit(caller.node),
      uploaders: largest.map(({ userId, files, bytes }) => ({
        ...(userId !== null && { userId }),
        ...{ files, bytes },
      })),
      people,
    };
  });
