/** A server to be in, and what those who are there may wait for. */
import type { Person } from './person.ts';

/** Somebody’s server, with these people in it. */
export async function openPlace(owner: Person, ...members: Person[]) {
  const { server } = await owner.send('server:create', { name: 'Place' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  for (const member of members) await member.send('server:join', { code: invite.code });
  return { server, serverId: server.id, channelId: server.defaultChannelId, code: invite.code };
}

/** Makes a member the owner, who accepts. */
export async function handOver(serverId: string, owner: Person, to: Person): Promise<void> {
  await owner.send('server:transfer', { serverId, userId: to.id });
  await to.send('server:acceptTransfer', { serverId });
}

/** Everything sent to this person before has arrived once this is answered. */
export const settled = (person: Person) => person.send('session:list', {});
