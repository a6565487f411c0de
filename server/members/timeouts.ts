/** Members who can only read until a time, so that they calm down. */
import { conflict, notFound } from '../../shared/failure.ts';
import type { Member } from '../../shared/members.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller, Context } from '../caller.ts';
import { commit } from '../commit.ts';
import { actInServer } from '../servers/access.ts';
import { memberOf, memberStanding, requireOutrank } from './access.ts';
import { changeMember } from './members.ts';
import {
  deleteEndedTimeout,
  deleteTimeout,
  findEndedTimeouts,
  saveTimeout,
} from './timeout-store.ts';

export async function timeOut(
  caller: Caller,
  { serverId, userId, seconds, reason }: Parsed<'member:timeOut'>,
): Promise<Member> {
  // Exclusive, so that no message of the member is stored after the answer.
  const locks = { exclusive: serverId, rooms: [serverRoom(serverId)] };
  return actInServer(caller, 'manage members', locks, async (work, me) => {
    // Also not by a bot of one’s own.
    if (userId === (caller.user.ownerId ?? me.member.userId))
      throw conflict('You can’t do this to yourself.');
    const found = await memberStanding(work.db, serverId, userId);
    if (found === undefined) throw notFound();
    requireOutrank(me, found);
    const target = found.member;
    const deed = { serverId, userId };
    if (seconds > 0) await saveTimeout(work.db, deed, seconds);
    else if (target.timeoutUntil === undefined) return target;
    else await deleteTimeout(work.db, deed);
    const member = await changeMember(work, deed, {});
    const action = seconds > 0 ? 'member:timedOut' : 'member:timeoutEnded';
    const why = reason !== undefined && { detail: reason };
    await recordAudit(work.db, caller, { action, ...deed, ...why });
    return member;
  });
}

const maxPerSweep = 100;

/** Publishes the end of time-outs. The rights have returned before, at the time itself. */
export async function sweepTimeouts(context: Context): Promise<void> {
  for (const target of await findEndedTimeouts(context.db, maxPerSweep)) {
    const { serverId, userId } = target;
    const locks = { shared: [serverId], rooms: async () => [serverRoom(serverId)] };
    await commit(context, locks, async (work) => {
      if (!(await deleteEndedTimeout(work.db, target))) return;
      if ((await memberOf(work.db, serverId, userId)) !== undefined)
        await changeMember(work, target, {});
      const deed = { action: 'member:timeoutEnded', ...target } as const;
      await recordAudit(work.db, { address: 'server' }, deed);
    });
  }
}
