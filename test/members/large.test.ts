import { expect } from 'chai';
import type { Status } from '../../shared/presence.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { query, transaction } from '../../server/database/database.ts';
import { refreshLarge } from '../../server/members/large-cache.ts';
import { memberCountsOn } from '../../server/members/counts.ts';
import { startApp } from '../support/app.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { largeServers, describeTopologies, type Topology } from '../support/topologies.ts';
import { until } from '../support/time.ts';

const snapshotOf = async (person: Person, serverId: string) => {
  const entry = await person.send('server:open', { serverId });
  if (entry.status !== 'snapshot') throw new Error(entry.status);
  return entry;
};

async function found(topology: Topology) {
  const ann = await topology.person('Ann');
  const { server } = await ann.send('server:create', { name: 'Crowd' });
  const { invite } = await ann.send('invite:create', { serverId: server.id });
  const join = async (...people: Person[]) => {
    for (const person of people) await person.send('server:join', { code: invite.code });
  };
  return { ann, serverId: server.id, timelineId: server.defaultChannelId, join };
}

const known = (topology: Topology, { id }: Person, status: Status) =>
  until(() => topology.nodes.every(({ node }) => node.presence.statuses([id])[id] === status));

async function grown(topology: Topology) {
  const place = await found(topology);
  const [ben, cem, dana] = [
    await topology.person('Ben'),
    await topology.person('Cem'),
    await topology.person('Dana'),
  ];
  await place.join(ben, cem, dana);
  return { ...place, ben, cem, dana };
}

describeTopologies(
  'a large server',
  (topology) => {
    it('is large from its fourth member on; clients inside it then take a snapshot', async () => {
      const { ann, serverId, join } = await found(topology());
      const [ben, cem, dana] = [
        await topology().person('Ben'),
        await topology().person('Cem'),
        await topology().person('Dana'),
      ];
      await join(ben, cem);
      const mirror = new Mirror(ben);
      await mirror.open(serverRoom(serverId));
      expect(mirror.state(serverRoom(serverId))?.members).to.have.length(3);
      expect(await snapshotOf(ann, serverId)).to.not.have.property('counts');
      await join(dana);
      await mirror.becomesTrue();
      const { state, presence, counts } = await snapshotOf(dana, serverId);
      expect(mirror.state(serverRoom(serverId))?.members).to.have.length(1);
      expect(state.members.map(({ userId }) => userId)).to.deep.equal([ann.id]);
      expect(presence).to.deep.equal({ [ann.id]: 'online' });
      expect(counts).to.deep.equal({ members: 4, online: 4 });
    });

    it('stays large until fewer than four fifths of that are left; then everyone takes a snapshot', async () => {
      const { ann, serverId, ben, cem, dana, join } = await grown(topology());
      const room = serverRoom(serverId);
      const mirror = new Mirror(ben);
      await mirror.open(room);
      await cem.send('server:leave', { serverId });
      expect((await snapshotOf(ann, serverId)).counts?.members).to.equal(3);
      expect(mirror.state(room)?.members).to.have.length(1);
      await dana.send('server:leave', { serverId });
      await mirror.becomesTrue();
      expect(mirror.state(room)?.members).to.have.length(2);
      const { state, counts } = await snapshotOf(ann, serverId);
      expect(state.members.map(({ userId }) => userId).sort()).to.deep.equal(
        [ann.id, ben.id].sort(),
      );
      expect(counts).to.equal(undefined);
      await join(cem);
      await mirror.becomesTrue();
      expect(mirror.state(room)?.members).to.have.length(3);
      await join(dana);
      await mirror.becomesTrue();
      expect(mirror.state(room)?.members).to.have.length(1);
    });

    it('sends the presence of everyone again after it has shrunk, including missed changes', async () => {
      const { ann, serverId, ben, cem, dana } = await grown(topology());
      for (const { node, db } of topology().nodes) await refreshLarge({ node, db });
      for (const person of [cem, dana]) await person.send('server:leave', { serverId });
      await ann.send('server:open', { serverId });
      await ben.send('presence:set', { status: 'dnd' });
      await known(topology(), ben, 'dnd');
      for (const { node, db } of topology().nodes) await refreshLarge({ node, db });
      const { users } = await ann.waitFor(
        'presence',
        (event) => event.room === serverRoom(serverId) && event.full === true,
      );
      expect(users).to.deep.equal({ [ann.id]: 'online', [ben.id]: 'dnd' });
      await ben.send('presence:set', { status: 'idle' });
      await ann.waitFor('presence', ({ users }) => users[ben.id] === 'idle');
    });

    it('lists members with a role, with their status, until they have none', async () => {
      const { ann, serverId, ben, cem } = await grown(topology());
      for (const { node } of topology().nodes) node.large.add(serverId);
      const mirror = new Mirror(cem);
      await mirror.open(serverRoom(serverId));
      const { role } = await ann.send('role:create', { serverId, name: 'Helper' });
      const given = { serverId, userId: ben.id, roleId: role.id };
      // Earlier statuses are sent before this one.
      await ann.send('presence:set', { status: 'idle' });
      await cem.waitFor('presence', ({ users }) => users[ann.id] === 'idle');
      const before = cem.received('presence').length;
      await ann.send('role:give', given);
      await until(() =>
        cem
          .received('presence')
          .slice(before)
          .some(({ room, users }) => room === serverRoom(serverId) && users[ben.id] === 'online'),
      );
      const listed = async () =>
        (await snapshotOf(cem, serverId)).state.members.map(({ userId }) => userId);
      expect(await listed()).to.have.members([ann.id, ben.id]);
      await mirror.becomesTrue();
      await ann.send('role:delete', { serverId, roleId: role.id });
      expect(await listed()).to.deep.equal([ann.id]);
      await mirror.becomesTrue();
    });

    it('receives no changes of ordinary members, and all changes of its staff', async () => {
      const { ann, serverId, ben, cem, join } = await grown(topology());
      const room = serverRoom(serverId);
      const before = await snapshotOf(ben, serverId);
      const eve = await topology().person('Eve');
      await join(eve);
      await eve.send('member:update', { serverId, userId: eve.id, nickname: 'Evening' });
      await cem.send('server:leave', { serverId });
      await ann.send('member:remove', { serverId, userId: eve.id });
      expect((await snapshotOf(ben, serverId)).version).to.equal(before.version);
      const of = (type: string) => (event: { room: string; changes: { type: string }[] }) =>
        event.room === room && event.changes.some((change) => change.type === type);
      const [set, whom] = ['member:update' as const, { serverId, userId: ben.id }];
      await ann.send(set, { ...whom, role: 'moderator' });
      await ben.waitFor('changes', of('member:updated'));
      await ben.send(set, { ...whom, nickname: 'Bosun' });
      expect((await snapshotOf(ben, serverId)).state.members).to.have.length(2);
      await ann.send(set, { ...whom, role: 'member' });
      await ben.waitFor('changes', of('member:unlisted'));
      expect((await snapshotOf(ben, serverId)).state.members).to.have.length(1);
      expect(ben.received('changes').some(of('member:joined'))).to.equal(false);
    });

    it('lists its members in pages, by name and by id, with their presence', async () => {
      const { ann, serverId, ben, cem, dana } = await grown(topology());
      const everyone = [ann, ben, cem, dana].map(({ id }) => id).sort();
      await cem.send('presence:set', { status: 'dnd' });
      await ben.send('member:update', { serverId, userId: ben.id, nickname: 'Bosun' });
      for (const person of [ann, ben, dana]) await known(topology(), person, 'online');
      await known(topology(), cem, 'dnd');
      const first = await dana.send('member:list', { serverId, limit: 3 });
      const after = first.members.at(-1)?.userId;
      const second = await dana.send('member:list', { serverId, limit: 3, after });
      const ids = [...first.members, ...second.members].map(({ userId }) => userId);
      expect(ids).to.deep.equal(everyone);
      expect(first.counts).to.deep.equal({ members: 4, online: 4 });
      const called = (query: string) =>
        dana.send('member:list', { serverId, query }).then(({ members }) => members);
      expect((await called('bOsU')).map(({ userId }) => userId)).to.deep.equal([ben.id]);
      // The name in that server counts, and wildcards match only themselves.
      for (const query of ['Ben', '%', '_']) expect(await called(query)).to.deep.equal([]);
      const stranger = await topology().person();
      const asked = await dana.send('member:list', {
        serverId,
        userIds: [ben.id, cem.id, stranger.id],
      });
      expect(asked.members.map(({ nickname }) => nickname).sort()).to.deep.equal(['Bosun', null]);
      expect(asked.presence).to.deep.equal({ [ben.id]: 'online', [cem.id]: 'dnd' });
      expect(await stranger.expectError('member:list', { serverId, userIds: [ben.id] })).to.include(
        {
          code: 'not_found',
        },
      );
    });

    it('evicts removed members, like any other server', async () => {
      const { ann, serverId, timelineId, cem, dana } = await grown(topology());
      await cem.send('server:open', { serverId });
      for (const person of [ann, cem, dana])
        await person.send('channel:join', { channelId: timelineId });
      await ann.send('member:remove', { serverId, userId: cem.id });
      await ann.send('message:send', { timelineId, body: 'Among ourselves' });
      await cem.waitFor(
        'head',
        ({ room, version }) => room.includes(timelineId) && version === null,
      );
      const isNamed = ({ changes }: RoomChanges) => JSON.stringify(changes).includes('ourselves');
      for (const person of [ann, dana]) await person.waitFor('changes', isNamed);
      await cem.send('session:list', {});
      expect(JSON.stringify(cem.received('changes'))).to.not.include('Among ourselves');
      expect((await cem.expectError('server:open', { serverId })).code).to.equal('not_found');
    });
  },
  { 'on two nodes': largeServers },
);

describe('joining a large server', () => {
  it('does not wait for simultaneous changes of the server', async () => {
    const app = await startApp({ PARLEY_LARGE_SERVER: '1', PARLEY_LOBBY: 'off' });
    const [ann, ben, cem] = [await app.person(), await app.person(), await app.person()];
    const { server } = await ann.send('server:create', { name: 'Crowd' });
    const { code } = (await ann.send('invite:create', { serverId: server.id })).invite;
    await ben.send('server:join', { code });
    await transaction(app.db, async (db) => {
      await query(db, 'select 1 from rooms where id = $1 for update', [server.id]);
      await cem.send('server:join', { code });
    });
    const { members } = await cem.send('member:list', { serverId: server.id });
    expect(members).to.have.length(3);
    await app.close();
  });
});

describe('an invite to a large server', () => {
  it('shows counts that can be some seconds old, and a limited number of counts is kept', async () => {
    const app = await startApp({ PARLEY_LARGE_SERVER: '9', PARLEY_LOBBY: 'off' });
    const ann = await app.person();
    const { server } = await ann.send('server:create', { name: 'Crowd' });
    const { code } = (await ann.send('invite:create', { serverId: server.id })).invite;
    const more = await Promise.all(Array.from({ length: 10 }, () => app.guest()));
    for (const person of more.slice(1)) await person.send('server:join', { code });
    const memberCounts = memberCountsOn(app.node);
    const counted: string[] = [];
    const ask = (name: string) =>
      memberCounts.recent(name, async () => {
        counted.push(name);
        return { members: 1, online: 1 };
      });
    for (let i = 0; i < 10; i += 1) await ask(`expired ${i}`);
    app.pass(20_000);
    await ask('good 0');
    expect(memberCounts.size).to.equal(1);
    for (let i = 1; i < 2_000; i += 1) await ask(`good ${i}`);
    const shown = async () => (await ann.send('invite:get', { code })).invite.server;
    expect(await shown()).to.include({ memberCount: 10, onlineCount: 10 });
    expect(memberCounts.size).to.equal(1_000);
    counted.length = 0;
    for (const name of ['good 1999', 'good 0']) await ask(name);
    expect(counted).to.deep.equal(['good 0']);
    await more[0]?.send('server:join', { code });
    expect(await shown()).to.include({ memberCount: 10, onlineCount: 10 });
    await app.close();
  });
});

describeTopologies(
  'presence and badges in a large server',
  (topology) => {
    it('are sent for the staff only, and once in ten seconds', async () => {
      const { ann, serverId, timelineId, ben, cem } = await grown(topology());
      for (const { node } of topology().nodes) node.large.add(serverId);
      for (const person of [ann, ben]) await person.send('server:open', { serverId });
      await cem.send('presence:set', { status: 'dnd' });
      await ann.send('presence:set', { status: 'idle' });
      await ben.waitFor('presence', ({ users }) => users[ann.id] === 'idle');
      const inRoom = ben.received('presence').filter(({ room }) => room === serverRoom(serverId));
      expect(inRoom.some(({ users }) => cem.id in users)).to.equal(false);
      for (let i = 0; i < 6; i += 1) {
        await ann.send('message:send', { timelineId, body: `${i}` });
        await ben.waitFor('activity', ({ timelines }) => timelineId in timelines);
        topology().pass(500);
      }
      await ben.send('session:list', {});
      const badges = ben.received('activity').filter(({ timelines }) => timelineId in timelines);
      expect(badges).to.have.length(1);
      topology().pass(7_000);
      await ben.waitFor('activity', ({ timelines }) => timelines[timelineId]?.last === 6);
    });
  },
  { 'on two nodes': largeServers },
);
