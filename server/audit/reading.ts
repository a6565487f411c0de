import { AuditEntry } from '../../shared/audit.ts';
import { forbidden } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { readTransaction } from '../database/database.ts';
import { pageOf } from '../people/pages.ts';
import { ownsInstance, serverFor } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { findEntries } from './store.ts';

export async function listAudit(
  caller: Caller,
  { serverId, before, limit = limits.pageDefault }: Parsed<'audit:list'>,
): Promise<Output<'audit:list'>> {
  return readTransaction(caller.db, async (db) => {
    const runsAll = await ownsInstance(db, caller.user);
    if (!runsAll && serverId === undefined)
      throw forbidden('Only the owner of this Parley can do this.');
    if (!runsAll && serverId !== undefined) await serverFor(db, caller, serverId, 'own');
    const found = await findEntries(db, { serverId, before, limit: limit + 1 });
    const shown = found.map(({ address, ...entry }) => (runsAll ? { ...entry, address } : entry));
    const { rows: entries, people, more } = await pageOf(db, shown, limit, personIdsIn(AuditEntry));
    return { entries, people, more: { before: more.after } };
  });
}
