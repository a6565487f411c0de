import { expect } from 'chai';
import { RefusedHandshake } from '../../shared/events.ts';
import { ownerInvite } from '../../server/invites/invites.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { enterAs, openSocket } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('the lobby', () => {
  it('is created once, however many nodes start at once', async () => {
    const first = await startApp({ PARLEY_LOBBY: 'off' });
    const nodes = await Promise.all(Array.from({ length: 4 }, () => startApp({}, first.where)));
    const [servers] = await first.db.sequelize.query('select name from servers');
    expect(servers).to.deep.equal([{ name: 'Lobby' }]);
    for (const node of [...nodes, first]) await node.close();
  });

  it('is joined by every new account, and belongs to the first registered person with its invite', async () => {
    const app = await startApp();
    const guest = await app.guest();
    const ann = await app.person();
    const code = (await ownerInvite(app.db)) ?? '';
    const [lobby] = (await guest.send('server:list', {})).servers;
    expect(lobby?.name).to.equal('Lobby');
    const { invite } = await guest.send('invite:get', { code });
    expect(invite).to.deep.equal({
      code,
      server: { id: lobby?.id, name: 'Lobby', memberCount: 2 },
      ownership: true,
      guests: true,
      approval: false,
      requested: false,
    });
    // A guest joins as a member with this invite, which stays valid for a person who can own the server.
    await guest.send('server:leave', { serverId: lobby?.id ?? '' });
    await guest.send('server:join', { code });
    expect(await ownerInvite(app.db)).to.equal(code);
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
    expect(await ownerInvite(app.db)).to.equal(undefined);
    expect((await ann.expectError('invite:get', { code })).code).to.equal('not_found');
    expect((await ann.expectError('server:join', { code })).code).to.equal('not_found');
    // A guest, too, is refused once the invite is used up.
    await guest.send('server:leave', { serverId: lobby?.id ?? '' });
    expect((await guest.expectError('server:join', { code })).code).to.equal('not_found');
    expect((await guest.send('server:list', {})).servers).to.deep.equal([]);
    // For its owner, this is a repeated request.
    await winner?.send('server:join', { code });
    await app.close();
  });

  it('is not joined by guests with an invite to another server, unless configured', async () => {
    for (const [setting, isJoined] of [
      ['on', false],
      ['all', true],
    ] as const) {
      const app = await startApp({ PARLEY_LOBBY: setting });
      const ann = await app.person('Ann');
      const { code: invite } = await openPlace(ann);
      const namesFor = async (door: 'guest' | 'register', body: object) => {
        const person = await enterAs(app.url, door, body);
        return (await person.send('server:list', {})).servers.map(({ name }) => name);
      };
      const invited = await namesFor('guest', { displayName: 'Ben', invite });
      expect(invited).to.have.members(['Place', ...(isJoined ? ['Lobby'] : [])]);
      expect(await namesFor('guest', { displayName: 'Cem' })).to.deep.equal(['Lobby']);
      const account = { username: 'dora', password: 'the password of dora', invite };
      expect(await namesFor('register', account)).to.have.members(['Place', 'Lobby']);
      await app.close();
    }
  });

  it('is reported to strangers as unclaimed until it has an owner', async () => {
    const app = await startApp();
    const without = await startApp({ PARLEY_LOBBY: 'off' });
    const refusal = async ({ url }: TestApp) => {
      const socket = openSocket(url, undefined);
      const { data } = await new Promise<Error & { data?: unknown }>((resolve) =>
        socket.once('connect_error', resolve),
      );
      return RefusedHandshake.parse(data);
    };
    expect(await refusal(app)).to.include({ code: 'unauthenticated', unclaimed: true });
    await app.person();
    expect(await refusal(app)).to.include({ unclaimed: true });
    await app.owner();
    for (const node of [app, without]) {
      expect(await refusal(node)).to.not.have.property('unclaimed');
      await node.close();
    }
  });

  it('belongs to the person who registers with the owner’s invite', async () => {
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
