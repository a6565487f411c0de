import { AuditEntry } from '../../shared/audit.ts';
import { forbidden } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { findPeople } from '../accounts/people.ts';
import type { Caller } from '../command.ts';
import { snapshot } from '../database/database.ts';
import { serverFor } from '../servers/access.ts';
import { ownsInstance } from '../servers/lobby.ts';
import { findEntries } from './store.ts';

/** A page of the audit log. Addresses are for whoever runs the instance: a server's owner is told none. */
export async function listAudit(
  caller: Caller,
  { serverId, before, limit = limits.pageDefault }: Parsed<'audit:list'>,
): Promise<Output<'audit:list'>> {
  return snapshot(caller.app.db, async (db) => {
    const runsAll = await ownsInstance(db, caller.user);
    if (!runsAll && serverId === undefined)
      throw forbidden('Only the owner of this Parley can do this.');
    if (!runsAll && serverId !== undefined) await serverFor(db, caller, serverId, 'own');
    const found = await findEntries(db, { serverId, before, limit: limit + 1 });
    const entries = found.slice(0, limit).map(({ address, ...entry }) => {
      return runsAll ? { ...entry, address } : entry;
    });
    return {
      entries,
      people: await findPeople(db, entries.flatMap(personIdsIn(AuditEntry))),
      more: { before: found.length > limit },
    };
  });
}
