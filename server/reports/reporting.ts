import { conflict } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { Standing } from '../../shared/permissions.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Caller } from '../caller.ts';
import { withAccess } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { memberStanding } from '../members/access.ts';
import { messageFor, scopesOf } from '../messages/access.ts';
import { findPeople } from '../people/people.ts';
import { answererRooms, publishCounts } from '../tasks/tasks.ts';
import * as store from './store.ts';

interface Reported {
  message: Message;
  serverId: string;
}

/** Reports a message. The answer does not show whether others reported it, or how it was answered. */
export async function reportMessage(
  caller: Caller,
  { messageId, kind, note = '' }: Parsed<'report:create'>,
): Promise<void> {
  const access = (db: Db) => reportedFor(db, caller, messageId);
  const locksFor = ({ serverId }: Reported) => ({
    shared: [serverId],
    rooms: (db: Db) => answererRooms(db, serverId),
  });
  await withAccess(caller, access, locksFor, async (work, { message, serverId }) => {
    const { db } = work;
    const known = await store.findReport(db, messageId, caller.user.id);
    const isClosed = known !== undefined && known.outcome !== null;
    const isEdited = known !== undefined && (known.laterBody ?? known.body) !== message.body;
    if (known?.isMine && !(isClosed && isEdited)) return;
    await requireRoom(db, caller, serverId);
    if (isClosed && isEdited) await store.deleteReasons(db, messageId);
    if (known === undefined || (isClosed && (isEdited || known.outcome === 'handled'))) {
      const report = await reportOf(db, caller, { message, serverId });
      await store.openReport(db, report);
    } else if (!isClosed && isEdited) await store.setLaterBody(db, messageId, message.body);
    const reason = { userId: caller.user.id, kind, note: note === '' ? null : note };
    await store.insertReason(db, messageId, reason);
    // Even if the number stays the same, so that a list of reports that is shown is loaded again.
    await publishCounts(work, serverId, { messageId });
  });
}

/** True if a custom role lets the member answer reports, or remove the people who made them. */
const keepsOrder = ({ granted }: Pick<Standing, 'granted'>): boolean =>
  granted.includes('manage messages') || granted.includes('manage members');

/** @throws ChatError conflict */
async function reportOf(
  db: Db,
  { user }: Caller,
  { message, serverId }: Reported,
): Promise<store.NewReport> {
  const { id: messageId, timelineId: channelId, position, authorId, body, files = [] } = message;
  const { [authorId]: author } = await findPeople(db, [authorId]);
  const people = [authorId, ...(author?.ownerId === undefined ? [] : [author.ownerId])];
  const standings = await Promise.all(people.map((id) => memberStanding(db, serverId, id)));
  if (standings.some((found) => found?.member.role === 'owner'))
    throw conflict('The owner’s messages can’t be reported, because reports go to the owner.');
  return {
    ...{ messageId, serverId, channelId, position, authorId, body, files: files.length },
    // A bot counts as its owner.
    ownerOnly: standings.some((found) => found?.member.role === 'moderator'),
    staffOnly: standings.some((found) => found !== undefined && keepsOrder(found.standing)),
    byGuest: user.kind === 'guest',
  };
}

/** @throws ChatError not_found if the caller cannot see the message, conflict if it cannot be reported */
async function reportedFor(db: Db, caller: Caller, messageId: string): Promise<Reported> {
  const message = await messageFor(db, caller, messageId);
  const serverId = (await scopesOf(db, [message.timelineId])).get(message.timelineId)?.serverId;
  if (serverId === undefined) throw conflict('Only messages in channels can be reported.');
  if (message.deletedAt !== undefined) throw conflict('This message was deleted.');
  if (message.kind !== undefined) throw conflict('This can’t be reported.');
  if (message.authorId === caller.user.id) throw conflict('You can’t report your own messages.');
  return { message, serverId };
}

/**
 * Keeps one person, or many guests, from filling the queue, so that others can report.
 * @throws ChatError conflict if the caller’s share or the queue is full
 */
async function requireRoom(db: Db, { user }: Caller, serverId: string): Promise<void> {
  const { all, guests, mine } = await store.countOpen(db, serverId, user.id);
  if (mine >= quotas.openReportsPerPerson)
    throw conflict(
      `You have ${quotas.openReportsPerPerson} open reports in this server. Wait until some of them are closed.`,
    );
  if (all >= quotas.openReports || (user.kind === 'guest' && guests >= quotas.openReports / 2))
    throw conflict('This server has too many open reports. Try again later.');
}
