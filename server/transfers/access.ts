import { notFound } from '../../shared/failure.ts';
import type { Db } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import { findTransfer, type StoredTransfer } from './store.ts';

/** The offer of a server, for the two people concerned. @throws ChatError not_found for all others */
export async function transferFor(
  db: Db,
  { user }: Pick<Caller, 'user'>,
  serverId: string,
): Promise<StoredTransfer> {
  const transfer = await findTransfer(db, serverId);
  if (transfer === undefined || !(user.id in transfer.versions)) throw notFound();
  return transfer;
}
