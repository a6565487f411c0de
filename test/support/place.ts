import type { Person } from './person.ts';

export async function openPlace(owner: Person, ...members: Person[]) {
  const { server } = await owner.send('server:create', { name: 'Place' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  for (const member of members) await member.send('server:join', { code: invite.code });
  return { server, serverId: server.id, channelId: server.defaultChannelId, code: invite.code };
}

/** Opens a place whose members need a request to write to each other for the first time. */
export async function openPlaceOfStrangers(owner: Person, ...members: Person[]) {
  const place = await openPlace(owner, ...members);
  await owner.send('server:update', { serverId: place.serverId, messageRequests: true });
  return place;
}

export async function handOver(serverId: string, owner: Person, to: Person): Promise<void> {
  await owner.send('server:transfer', { serverId, userId: to.id });
  await to.send('server:acceptTransfer', { serverId });
}

/** A round trip, after which all earlier events have arrived. */
export const settled = (person: Person) => person.send('session:list', {});
