import type { Person } from './person.ts';

export async function openPlace(owner: Person, ...members: Person[]) {
  const { server } = await owner.send('server:create', { name: 'Place' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  for (const member of members) await member.send('server:join', { code: invite.code });
  return { server, serverId: server.id, channelId: server.defaultChannelId, code: invite.code };
}

export async function handOver(serverId: string, owner: Person, to: Person): Promise<void> {
  await owner.send('server:transfer', { serverId, userId: to.id });
  await to.send('server:acceptTransfer', { serverId });
}

/** A round trip, after which all earlier events have arrived. */
export const settled = (person: Person) => person.send('session:list', {});
