import { expect } from 'chai';
import { v7 } from 'uuid';
import { limits } from '../shared/limits.ts';
import { serverRoom, timelineRoom, userRoom } from '../shared/rooms.ts';
import { ownerInvite } from '../server/servers/lobby.ts';
import { startApp, type TestApp } from './support/app.ts';
import type { Person } from './support/person.ts';

describe('servers', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  after(() => app.close());

  const rows = async (sql: string, ...bind: unknown[]) =>
    (await app.app.db.sequelize.query(sql, { bind }))[0];

  /** Ann's server, with these people in it. */
  async function place(...members: Person[]) {
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    for (const member of members) await member.send('server:join', { code: invite.code });
    return { server, serverId: server.id, channelId: server.defaultChannelId, code: invite.code };
  }
  const listed = async (person: Person) =>
    (await person.send('server:list', {})).servers.map(({ id }) => id);
  const roleOf = async (serverId: string, userId: string) =>
    (await ann.send('member:list', { serverId })).members.find((member) => member.userId === userId)
      ?.role;
  /** Everything sent to this person before has arrived once this is answered. */
  const settled = (person: Person) => person.send('session:list', {});

  it('begin with one channel, the default one, and their creator as owner', async () => {
    const tab = await ann.again();
    const { server } = await ann.send('server:create', { name: 'Grün' });
    const heard = await tab.hears('changes', ({ changes }) =>
      changes.some((change) => change.type === 'server:joined' && change.server.id === server.id),
    );
    expect(heard).to.deep.include({
      room: userRoom(ann.id),
      changes: [{ type: 'server:joined', version: heard.to, server }],
    });
    const entry = await ann.send('server:open', { serverId: server.id });
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    expect(entry.state.servers).to.deep.equal([
      { ...server, version: entry.state.servers[0]?.version },
    ]);
    expect(entry.state.channels.map(({ id, name }) => ({ id, name }))).to.deep.equal([
      { id: server.defaultChannelId, name: 'general' },
    ]);
    expect(entry.state.members.map(({ userId, role }) => ({ userId, role }))).to.deep.equal([
      { userId: ann.id, role: 'owner' },
    ]);
    expect(entry.presence).to.deep.equal({ [ann.id]: 'online' });
    expect(entry.people).to.have.all.keys(ann.id);
    tab.close();
  });

  it('asked for twenty times at once under one id are one server', async () => {
    const id = v7();
    const acks = await Promise.all(
      Array.from({ length: 20 }, () => ann.send('server:create', { name: 'Once', id })),
    );
    expect(new Set(acks.map(({ server }) => JSON.stringify(server))).size).to.equal(1);
    expect(await rows('select id from channels where server_id = $1', id)).to.have.length(1);
    expect((await listed(ann)).filter((other) => other === id)).to.have.length(1);
  });

  it('do not take an id that is somebody else’s, or something else’s', async () => {
    const { serverId, channelId } = await place(ben);
    for (const id of [serverId, channelId, ann.id])
      expect((await ben.fails('server:create', { name: 'Mine', id })).code).to.equal('conflict');
    expect((await ann.send('server:create', { name: 'Place', id: serverId })).server.id).to.equal(
      serverId,
    );
  });

  it('at once under one id by two people are one server and a conflict', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = v7();
      const outcomes = await Promise.allSettled(
        [ann, ben].map((person) => person.send('server:create', { name: 'Raced', id })),
      );
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused.map(({ reason }) => (reason as { code: string }).code)).to.deep.equal([
        'conflict',
      ]);
    }
  });

  it('are limited for each person, however they come in', async () => {
    const [cem, dot] = await Promise.all([app.person(), app.person()]);
    const { code } = await place();
    for (let i = 1; i < limits.serversPerPerson; i += 1)
      await cem.send('server:create', { name: `${i}` });
    const last = await Promise.allSettled(
      Array.from({ length: 5 }, () => cem.send('server:create', { name: 'the last' })),
    );
    expect(last.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect((await cem.fails('server:join', { code })).code).to.equal('conflict');
    await dot.send('server:join', { code });
  });

  it('are renamed by the owner, in their room and on every member’s list', async () => {
    const { serverId, server } = await place(ben);
    await ben.send('server:open', { serverId });
    const renamed = await ann.send('server:update', { serverId, name: 'Better' });
    for (const room of [serverRoom(serverId), userRoom(ben.id)]) {
      const { changes } = await ben.hears(
        'changes',
        (heard) =>
          heard.room === room && heard.changes.some((change) => change.type === 'server:updated'),
      );
      const [change] = changes.slice(-1);
      expect(change).to.have.nested.property('server.name', 'Better');
    }
    const [mine] = (await ben.send('server:list', {})).servers.filter(({ id }) => id === serverId);
    expect(mine?.name).to.equal('Better');
    expect(mine?.version).to.equal(
      ben.heard('changes').findLast(({ room }) => room === userRoom(ben.id))?.to,
    );
    // What is so already changes nothing, and so does nothing at all.
    expect(await ann.send('server:update', { serverId, name: 'Better' })).to.deep.equal(renamed);
    expect(await ann.send('server:update', { serverId })).to.deep.equal(renamed);
    expect(renamed.server.defaultChannelId).to.equal(server.defaultChannelId);
  });

  it('take only a channel of their own as the default one', async () => {
    const { serverId, channelId } = await place();
    const elsewhere = await place();
    for (const defaultChannelId of [elsewhere.channelId, v7()])
      expect((await ann.fails('server:update', { serverId, defaultChannelId })).code).to.equal(
        'not_found',
      );
    const { channel } = await ann.send('channel:create', { serverId, name: 'other' });
    const { server } = await ann.send('server:update', { serverId, defaultChannelId: channel.id });
    expect(server.defaultChannelId).to.equal(channel.id);
    await ann.send('channel:delete', { channelId });
  });

  it('are handed over to a registered member, and their owner stays as a moderator', async () => {
    const guest = await app.guest();
    const stranger = await app.person();
    const { serverId } = await place(ben, guest);
    const to = (userId: string) => ({ serverId, userId });
    expect((await ben.fails('server:transfer', to(ben.id))).code).to.equal('forbidden');
    expect((await ann.fails('server:transfer', to(guest.id))).code).to.equal('conflict');
    expect((await ann.fails('server:transfer', to(ann.id))).code).to.equal('conflict');
    expect((await ann.fails('server:transfer', to(stranger.id))).code).to.equal('not_found');
    await ann.send('server:transfer', to(ben.id));
    expect([await roleOf(serverId, ann.id), await roleOf(serverId, ben.id)]).to.deep.equal([
      'moderator',
      'owner',
    ]);
    expect((await ann.fails('server:transfer', to(ben.id))).code).to.equal('forbidden');
    expect((await ann.fails('server:delete', { serverId })).code).to.equal('forbidden');
    await ann.send('server:leave', { serverId });
    await ben.send('server:delete', { serverId });
  });

  it('have one owner, whoever is handed them at once', async () => {
    const cem = await app.person();
    const { serverId } = await place(ben, cem);
    const outcomes = await Promise.allSettled(
      [ben, cem].map(({ id }) => ann.send('server:transfer', { serverId, userId: id })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    const owners = await rows(
      `select user_id from members where server_id = $1 and role = 'owner'`,
      serverId,
    );
    expect(owners).to.have.length(1);
  });

  it('once deleted are gone with all that was in them, for everyone at once', async () => {
    const { serverId, channelId, code } = await place(ben);
    const tab = await ben.again();
    for (const socket of [ben, tab]) {
      await socket.send('server:open', { serverId });
      await socket.send('channel:join', { channelId });
    }
    await ben.send('message:send', { timelineId: channelId, body: 'Last words' });
    await ann.send('server:delete', { serverId });
    for (const socket of [ben, tab]) {
      await socket.hears('changes', ({ changes }) =>
        changes.some((change) => change.type === 'server:deleted' && change.serverId === serverId),
      );
      for (const room of [serverRoom(serverId), timelineRoom(channelId)])
        await socket.hears('head', (head) => head.room === room && head.version === null);
    }
    for (const person of [ann, ben]) {
      expect((await person.fails('server:open', { serverId })).code).to.equal('not_found');
      expect((await person.fails('channel:join', { channelId })).code).to.equal('not_found');
      expect((await person.fails('server:join', { code })).code).to.equal('not_found');
      expect(await listed(person)).to.not.include(serverId);
    }
    for (const table of ['channels', 'members', 'invites', 'bans'])
      expect(await rows(`select 1 from ${table} where server_id = $1`, serverId), table).to.be
        .empty;
    expect(await rows('select 1 from rooms where id in ($1, $2)', serverId, channelId)).to.be.empty;
    expect(await rows('select 1 from messages where timeline_id = $1', channelId)).to.be.empty;
    tab.close();
  });

  it('are deleted while everybody writes, and nothing worse happens than that they are gone', async () => {
    const { serverId, channelId, code } = await place(ben);
    const cem = await app.person();
    const writing = Array.from({ length: 40 }, () =>
      ben.send('message:send', { timelineId: channelId, body: 'Still here?' }),
    );
    const outcomes = await Promise.allSettled([
      ...writing,
      cem.send('server:join', { code }),
      ann.send('channel:create', { serverId, name: 'late' }),
      ann.send('server:delete', { serverId }),
      ann.send('server:update', { serverId, name: 'Late' }),
    ]);
    const codes = outcomes.flatMap((it) =>
      it.status === 'rejected' ? [(it.reason as { code: string }).code] : [],
    );
    expect(codes.filter((one) => one !== 'not_found')).to.deep.equal([]);
    expect(await listed(cem)).to.not.include(serverId);
  });

  it('are left by members, on all their devices at once, but not by the owner', async () => {
    const { serverId, channelId, code } = await place(ben);
    const tab = await ben.again();
    await tab.send('server:open', { serverId });
    await tab.send('channel:join', { channelId });
    expect((await ann.fails('server:leave', { serverId })).code).to.equal('conflict');
    await ann.send('server:open', { serverId });
    await ben.send('server:leave', { serverId });
    await tab.hears('changes', ({ changes }) => changes.some(({ type }) => type === 'server:left'));
    await ann.hears('changes', ({ changes }) =>
      changes.some((change) => change.type === 'member:left' && change.userId === ben.id),
    );
    const before = tab.heard('changes').length;
    await ann.send('message:send', { timelineId: channelId, body: 'Without Ben' });
    await settled(tab);
    expect(tab.heard('changes')).to.have.length(before);
    expect((await ben.fails('server:leave', { serverId })).code).to.equal('not_found');
    await ben.send('server:join', { code });
    tab.close();
  });

  it('are read over HTTP without entering anything', async () => {
    const { serverId } = await place();
    const response = await fetch(`${app.url}/api/servers/${serverId}`, {
      headers: { cookie: ann.cookie, origin: app.url },
    });
    expect(response.status).to.equal(200);
    expect(await response.json()).to.include({ status: 'snapshot', room: serverRoom(serverId) });
    expect(app.app.io.of('/').adapter.rooms.has(serverRoom(serverId))).to.equal(false);
  });
});

describe('the lobby', () => {
  it('is one, however many nodes start at once', async () => {
    const first = await startApp({ PARLEY_LOBBY: 'off' });
    const nodes = await Promise.all(Array.from({ length: 4 }, () => startApp({}, first.where)));
    const [servers] = await first.app.db.sequelize.query('select name from servers');
    expect(servers).to.deep.equal([{ name: 'Lobby' }]);
    for (const node of [...nodes, first]) await node.close();
  });

  it('is joined by every new account, and belongs to who registers by the one invite', async () => {
    const app = await startApp();
    const guest = await app.guest();
    const ann = await app.person();
    const code = (await ownerInvite(app.app.db)) ?? '';
    const [lobby] = (await guest.send('server:list', {})).servers;
    expect(lobby?.name).to.equal('Lobby');
    const { invite } = await guest.send('invite:get', { code });
    expect(invite).to.deep.equal({
      code,
      server: { id: lobby?.id, name: 'Lobby', memberCount: 2 },
      ownership: true,
    });
    // A guest is let in by it, as a member, and it stays for somebody who can own.
    await guest.send('server:leave', { serverId: lobby?.id ?? '' });
    await guest.send('server:join', { code });
    expect(await ownerInvite(app.app.db)).to.equal(code);
    const people = await Promise.all([app.person(), app.person(), app.person()]);
    const outcomes = await Promise.allSettled(
      people.map((person) => person.send('server:join', { code })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    const winner = people[outcomes.findIndex(({ status }) => status === 'fulfilled')];
    const { members } = await guest.send('member:list', { serverId: lobby?.id ?? '' });
    expect(
      members.filter(({ role }) => role === 'owner').map(({ userId }) => userId),
    ).to.deep.equal([winner?.id]);
    expect(await ownerInvite(app.app.db)).to.equal(undefined);
    expect((await ann.fails('invite:get', { code })).code).to.equal('not_found');
    expect((await ann.fails('server:join', { code })).code).to.equal('not_found');
    // To its owner it is the same request once more.
    await winner?.send('server:join', { code });
    await app.close();
  });

  it('belongs to who registers there first', async () => {
    const app = await startApp();
    const owner = await app.owner();
    const [lobby] = (await owner.send('server:list', {})).servers;
    await owner.send('server:update', { serverId: lobby?.id ?? '', name: 'Ours' });
    await app.close();
  });

  it('stays deleted, and new accounts are in no server then', async () => {
    const app = await startApp();
    const owner = await app.owner();
    const [lobby] = (await owner.send('server:list', {})).servers;
    await owner.send('server:delete', { serverId: lobby?.id ?? '' });
    const again = await startApp({}, app.where);
    const late = await again.person();
    expect((await late.send('server:list', {})).servers).to.deep.equal([]);
    await again.close();
    await app.close();
  });
});
