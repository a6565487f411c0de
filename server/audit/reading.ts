import { AuditEntry, maxAuditSearched } from '../../shared/audit.ts';
import { forbidden } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { pageOf } from '../people/pages.ts';
import { namesOfServers, ownsInstance, serverFor } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { findEntries, findSearchedTo } from './store.ts';

/** The bound of a search. A test lowers it. */
export const searched = { entries: maxAuditSearched };

export async function listAudit(
  caller: Caller,
  input: Parsed<'audit:list'>,
): Promise<Output<'audit:list'>> {
  const { serverId, limit = limits.pageDefault, actions, personId } = input;
  return readTransaction(caller.db, async (db) => {
    const runsAll = await requireLog(db, caller, serverId);
    const isFiltered = actions !== undefined || personId !== undefined;
    const bounds = { searched: isFiltered ? searched.entries : limit + 1, limit: limit + 1 };
    const found = await findEntries(db, input, input, bounds);
    const shown = found.map(({ address, ...entry }) => (runsAll ? { ...entry, address } : entry));
    const { rows: entries, people, more } = await pageOf(db, shown, limit, personIdsIn(AuditEntry));
    const last = more.after
      ? entries.at(-1)?.id
      : isFiltered && (await findSearchedTo(db, input, searched.entries));
    const serverIds = serverId === undefined ? entries.flatMap((one) => one.serverId ?? []) : [];
    return {
      entries,
      people,
      more: last === false ? null : (last ?? null),
      serverNames: await namesOfServers(db, serverIds),
      keptDays: caller.node.config.PARLEY_AUDIT_DAYS,
    };
  });
}

/** Returns whether the caller owns the instance. @throws ChatError forbidden, not_found */
async function requireLog(db: Db, caller: Caller, serverId: string | undefined): Promise<boolean> {
  const runsAll = await ownsInstance(db, caller.user);
  if (runsAll) return true;
  if (serverId === undefined) throw forbidden('Only the owner of this Parley can do this.');
  await serverFor(db, caller, serverId, 'own');
  return false;
}
