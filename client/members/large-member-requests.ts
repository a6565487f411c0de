/** Requests members of a large server that its room's state does not have. */
import { limits } from '../../shared/limits.ts';
import type { Output } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { people } from '../people/people.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import { send } from '../session/socket.ts';
import { largeMembers } from './large-members.svelte.ts';

export const refreshMs = 30_000;

/** Loads a page of members by id, after the one that ended with `after`. `more`: whether others follow. */
export async function readMembers(serverId: string, after: string | undefined, limit: number) {
  const page = await send('member:list', { serverId, limit, ...(after && { after }) });
  take(serverId, page);
  return { userIds: page.members.map(({ userId }) => userId), more: page.more.after };
}

export async function findMembers(serverId: string, query: string): Promise<string[]> {
  const page = await send('member:list', { serverId, query, limit: limits.page });
  take(serverId, page);
  return page.members.map(({ userId }) => userId);
}

/** Requests members with names that look like this one; only some of them if there are many. */
export async function meetAlike(serverId: string, looksLike: string) {
  take(serverId, await send('member:list', { serverId, looksLike, limit: limits.page }));
}

/** Requests them regularly until stopped, because the server does not send changes of these members. */
export function watchMembers(serverId: string, userIds: readonly string[]): () => void {
  const look = () => {
    if (!document.hidden) meet(serverId, userIds).catch(() => undefined);
  };
  look();
  const timer = setInterval(look, refreshMs);
  return () => {
    clearInterval(timer);
  };
}

async function meet(serverId: string, userIds: readonly string[]) {
  for (let i = 0; i < userIds.length; i += limits.page) {
    const some = userIds.slice(i, i + limits.page);
    const page = await send('member:list', { serverId, userIds: some, limit: limits.page });
    for (const userId of some) largeMembers.note(serverId, userId, null);
    take(serverId, page);
  }
}

function take(serverId: string, { members, counts, ...answer }: Output<'member:list'>) {
  const room = serverRoom(serverId);
  people.receive(answer.people);
  if (counts) largeMembers.receive(room, counts);
  for (const member of members) largeMembers.note(serverId, member.userId, member);
  const statuses = members.map(({ userId }) => [userId, answer.presence[userId] ?? 'offline']);
  presence.receive(room, Object.fromEntries(statuses) as typeof answer.presence, 'news');
}
