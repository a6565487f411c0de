/** How those who can manage messages answer reports. */
import { personIdsIn } from '../../shared/person-ids.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import { Report } from '../../shared/reports.ts';
import { recordAudits } from '../audit/audit.ts';
import type { Caller } from '../caller.ts';
import { withAccess } from '../commit.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { pageOf } from '../people/pages.ts';
import { serverFor } from '../servers/access.ts';
import { answererIds, publishCounts, withManyCounts } from '../tasks/tasks.ts';
import * as store from './store.ts';

export async function listReports(
  caller: Caller,
  { serverId, closed = false, after }: Parsed<'report:list'>,
): Promise<Output<'report:list'>> {
  const member = { serverId, userId: caller.user.id };
  const limit = quotas.reportsPerPage;
  return readTransaction(caller.db, async (db) => {
    await serverFor(db, caller, serverId, 'manage messages');
    const found = await store.findReports(db, member, { closed, after, limit: limit + 1 });
    const { rows: reports, ...rest } = await pageOf(db, found, limit, personIdsIn(Report));
    return { reports, ...rest };
  });
}

export async function closeReports(
  caller: Caller,
  { serverId, messageIds, outcome }: Parsed<'report:close'>,
): Promise<void> {
  const { user, address } = caller;
  const member = { serverId, userId: user.id };
  const access = (db: Db) => serverFor(db, caller, serverId, 'manage messages');
  const answerers = (db: Db) => answererIds(db, serverId);
  // Charged even if all are closed already, because the rooms are locked before that is known.
  const locksFor = () => withManyCounts(caller, { shared: [serverId], rooms: [] }, answerers);
  await withAccess(caller, access, locksFor, async (work) => {
    const closed = await store.closeReports(work.db, member, messageIds, outcome);
    if (closed.length === 0) return;
    await publishCounts(work, serverId);
    const deeds = closed.map(({ messageId: subjectId, authorId: userId }) => {
      return { user, address, serverId, userId, subjectId };
    });
    await recordAudits(work.db, `report:${outcome}`, deeds);
  });
}
