import { AuditEntry, maxAuditSearched } from '../../shared/audit.ts';
import { forbidden } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { pageOf } from '../people/pages.ts';
import { namesOfServers, ownsInstance, serverFor } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { findEntries, findFirstSince, findSearchedTo } from './store.ts';

/** The bound of a search. A test lowers it. */
export const searched = { entries: maxAuditSearched };

export async function listAudit(
  caller: Caller,
  input: Parsed<'audit:list'>,
): Promise<Output<'audit:list'>> {
  const { serverId, limit = limits.pageDefault } = input;
  return readTransaction(caller.db, async (db) => {
    const runsAll = await requireLog(db, caller, serverId);
    const isFiltered = filters.some((name) => input[name] !== undefined);
    const bounds = { searched: isFiltered ? searched.entries : limit + 1, limit: limit + 1 };
    const range = { serverId, ...(await findIds(db, input)) };
    const found = await findEntries(db, range, input, bounds);
    const shown = found.map(({ address, ...entry }) => (runsAll ? { ...entry, address } : entry));
    const { rows: entries, people, more } = await pageOf(db, shown, limit, personIdsIn(AuditEntry));
    const last = more.after
      ? entries.at(-1)?.id
      : isFiltered && (await findSearchedTo(db, range, searched.entries));
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

const filters = ['actions', 'personId', 'since', 'until'] as const;

/** Above every id. */
const above = 2 ** 52;

/** Ids can be out of the order of time by up to this many, because transactions write concurrently. */
const margin = 1_000;

/** Returns a range of ids with every entry between `since` and `until`, so that the search does not read the whole log. */
async function findIds(db: Db, { before, since, until }: Parsed<'audit:list'>) {
  const first = since === undefined ? 0 : await findFirstSince(db, startOfFolds(since));
  const end = until === undefined ? above : await findFirstSince(db, until);
  return {
    before: Math.min(before ?? above, (end ?? above) + margin),
    from: (first ?? above) - margin,
  };
}

/**
 * Starts a day before `since`, because an entry also counts actions up to a day after its `at`. Not before 1970: no entry
 * is older, and PostgreSQL has no year 0.
 */
const startOfFolds = (since: string) =>
  new Date(Math.max(Date.parse(since) - 86_400_000, 0)).toISOString();

/** Returns whether the caller owns the instance. @throws ChatError forbidden, not_found */
async function requireLog(db: Db, caller: Caller, serverId: string | undefined): Promise<boolean> {
  const runsAll = await ownsInstance(db, caller.user);
  if (runsAll) return true;
  if (serverId === undefined) throw forbidden('Only the owner of this Parley can do this.');
  await serverFor(db, caller, serverId, 'own');
  return false;
}
