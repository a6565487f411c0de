import type { Transfer } from '../../shared/transfers.ts';
import type { Db } from '../database/database.ts';
import { transferAsSeenBy } from './transfers.ts';
import { findTransfersOf } from './store.ts';

export const transfersOf = async (db: Db, userId: string): Promise<Transfer[]> =>
  (await findTransfersOf(db, userId)).map((transfer) => transferAsSeenBy(transfer, userId));
