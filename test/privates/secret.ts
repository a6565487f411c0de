/** Ann’s server with two other members, all with open sockets, and shortcuts for private channels. */
import type { PrivateChannel } from '../../shared/channels.ts';
import { query } from '../../server/database/database.ts';
import type { TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

export async function furnishSecrets(app: TestApp) {
  const [ann, ben, cem] = await Promise.all([
    app.person('Ann'),
    app.person('Ben'),
    app.person('Cem'),
  ]);
  const { serverId, channelId: defaultId, code } = await openPlace(ann, ben, cem);
  for (const person of [ann, ben, cem]) await person.send('server:open', { serverId });

  const conceal = async (
    userIds: string[] = [],
    by = ann,
    more: { id?: string; name?: string } = {},
  ): Promise<PrivateChannel> => {
    const wanted = { serverId, name: 'secret', private: true, userIds, ...more };
    const { channel } = await by.send('channel:create', wanted);
    if (!channel.private) throw new Error('it is public');
    return channel;
  };
  const update = async (channelId: string, what: { private?: boolean; userIds?: string[] }) =>
    (await ann.send('channel:update', { channelId, ...what })).channel;
  const promote = (person: Person) =>
    ann.send('member:update', { serverId, userId: person.id, role: 'moderator' });
  const stateFor = async (person: Person) => {
    const entry = await person.send('server:open', { serverId });
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    return entry;
  };

  return { ann, ben, cem, serverId, defaultId, code, conceal, update, promote, stateFor };
}

export const say = (person: Person, timelineId: string, body = 'Hush') =>
  person.send('message:send', { timelineId, body });
export const listPrivateChannels = async (person: Person) => {
  const fresh = await person.newTab();
  fresh.close();
  if (fresh.ready.status !== 'snapshot') throw new Error(fresh.ready.status);
  return fresh.ready.state.privateChannels;
};
export const waitForChange = (person: Person, type: string, room?: string) =>
  person.waitFor(
    'changes',
    (event) =>
      (room === undefined || event.room === room) &&
      event.changes.some((change) => change.type === type),
  );
export const allReceived = (person: Person) =>
  JSON.stringify(
    (['changes', 'head', 'activity', 'read', 'people'] as const).map((event) =>
      person.received(event),
    ),
  );

export async function addSilentPrivateMembers(
  { db }: TestApp,
  serverId: string,
  channelId: string,
  count: number,
) {
  await query(
    db,
    `with made as (
       insert into rooms (id, kind) select gen_random_uuid(), 'user' from generate_series(1, $3) returning id
     ), people as (
       insert into users (id, kind, display_name) select id, 'guest', 'Crowd' from made returning id
     ), members as (
       insert into members (server_id, user_id, role, version, user_version) select $1, id, 'member', 1, 1 from people
       returning user_id
     )
     insert into channel_members (channel_id, server_id, user_id, user_version)
     select $2, $1, user_id, 1 from members`,
    [serverId, channelId, count],
  );
}
