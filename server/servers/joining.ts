import { conflict } from '../../shared/failure.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import { commit } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { inviteLeadsTo, roomsByInvite, useInvite } from '../invites/invites.ts';
import { memberOf, membershipsOf } from '../members/access.ts';
import { endMembership, roomsToNotify } from '../members/members.ts';
import type { Caller, Context } from '../caller.ts';
import { actInServer } from './access.ts';

/** Joins by an invite. Who is in already stays in, and uses nothing up. */
export async function joinServer(caller: Caller, { code }: Parsed<'server:join'>): Promise<Server> {
  const { db, user } = caller;
  const serverId = await inviteLeadsTo(db, code);
  const rooms = async (db: Db) => [...(await roomsByInvite(db, code)), userRoom(user.id)];
  const locks = { shared: [serverId], rooms };
  return commit(caller, locks, (work) => useInvite(work, code, caller));
}

/** Leaves a server: out of its rooms at once, here and on all devices. */
export async function leaveServer(
  caller: Caller,
  { serverId }: Parsed<'server:leave'>,
): Promise<Record<string, never>> {
  const userId = caller.user.id;
  const locks = { exclusive: serverId, rooms: roomsToNotify(serverId, userId) };
  return actInServer(caller, 'see', locks, async (work, { member }) => {
    if (member.role === 'owner')
      throw conflict('The owner can’t leave. Transfer ownership first, or delete the server.');
    await endMembership(work, { serverId, userId, as: 'left' });
    return {};
  });
}

/** Takes somebody out of every server, one after the other. */
export async function leaveEveryServer(context: Context, userId: string): Promise<void> {
  for (const serverId of (await membershipsOf(context.db, userId)).keys())
    await commit(
      context,
      { exclusive: [serverId], rooms: roomsToNotify(serverId, userId) },
      async (work) => {
        if ((await memberOf(work.db, serverId, userId)) === undefined) return;
        await endMembership(work, { serverId, userId, as: 'left' });
      },
    );
}
