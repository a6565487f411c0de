import { invalid, notFound } from '../../shared/failure.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { requirePerson } from '../people/people.ts';
import type { Db } from '../database/database.ts';
import { channelFor } from '../channels/access.ts';
import { timelinesSeenBy } from '../messages/access.ts';
import { serversSeenBy } from '../servers/access.ts';
import type { Caller } from '../caller.ts';

/**
 * The target must be the caller (for everything), or a place or a person that they can see. Returns `personId` if the
 * target is a person. A person can only be `exempt`, and only a channel can be `hidden`.
 * @throws ChatError not_found, invalid
 */
export async function requireTarget(
  db: Db,
  caller: Pick<Caller, 'user'>,
  { targetId, ...choice }: Parsed<'notification:set'>,
): Promise<{ personId?: string }> {
  if (choice.hidden) await channelFor(db, caller, targetId, 'see');
  if (targetId === caller.user.id) return {};
  // Removing choices is always allowed: the target, or the access to it, can have ended since.
  if (Object.values(choice).every((value) => value === null || value === false)) return {};
  if (choice.keywords ?? choice.quietHours)
    throw invalid('Keywords and quiet hours apply everywhere.', 'targetId');
  const servers = await serversSeenBy(db, caller, [targetId]);
  if (servers.has(targetId)) return {};
  const timelines = await timelinesSeenBy(db, caller, [targetId]);
  if (timelines.has(targetId)) return {};
  if (choice.level ?? choice.muted) throw notFound();
  await requirePerson(db, caller.user, { userId: targetId });
  return { personId: targetId };
}
