/** Finds by name what this client does not know: channels of servers that were not opened, and people. */
import type { FoundChannel } from '../../shared/channels.ts';
import type { FoundMember } from '../../shared/members.ts';
import { account } from '../accounts/account.svelte.ts';
import { findListedMembers, findRegistered } from '../people/find.ts';
import { send } from '../session/socket.ts';

export interface Elsewhere {
  channels: readonly FoundChannel[];
  members: readonly FoundMember[];
  /** The ids of people who may share nothing with the user. */
  registered: readonly string[];
}

export const nothing: Elsewhere = { channels: [], members: [], registered: [] };

export async function findElsewhere(query: string): Promise<Elsewhere> {
  const [{ channels }, members] = await Promise.all([
    send('channel:search', { query }),
    findListedMembers(query),
  ]);
  // The daily number of searches of everybody is small, so only search if nobody nearer matches.
  const isNear = channels.length + members.length > 0 || account.isGuest;
  const registered = isNear ? [] : await findRegistered(query);
  return { channels, members, registered: registered.map(({ id }) => id) };
}

export const idsOf = ({ channels, members, registered }: Elsewhere): Set<string> =>
  new Set([...channels.map(({ id }) => id), ...members.map(({ userId }) => userId), ...registered]);
