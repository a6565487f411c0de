import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { newForm, replyOf } from '../support/auth.ts';
import { connectAs, post } from '../support/person.ts';

describe('registering', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('adds the account to Lobby, and its members receive the change', async () => {
    const ann = await app.person('Ann');
    const [lobby] = (await ann.send('server:list', {})).servers;
    await ann.send('server:open', { serverId: lobby?.id ?? '' });
    const response = await post(
      app.url,
      '/api/auth/register',
      newForm({ username: 'Ben', displayName: 'Big Ben' }),
    );
    expect(response.status).to.equal(201);
    const { user } = await replyOf(response);
    expect(user).to.include({ username: 'ben', name: 'Big Ben', kind: 'registered', rev: 1 });
    const { people } = await ann.waitFor('changes', ({ changes }) =>
      changes.some(
        (change) => change.type === 'member:joined' && change.member.userId === user?.id,
      ),
    );
    expect(people[user?.id ?? '']?.name).to.equal('Big Ben');
  });

  it('accepts a name once, in any spelling', async () => {
    const response = await post(app.url, '/api/auth/register', newForm({ username: 'Cleo' }));
    expect(response.status).to.equal(201);
    for (const username of ['cleo', 'CLEO', 'ｃｌｅｏ']) {
      const again = await post(app.url, '/api/auth/register', newForm({ username }));
      expect(again.status, username).to.equal(409);
      const { error, fields } = await replyOf(again);
      expect(error).to.include({ code: 'conflict', field: 'username' });
      expect(fields).to.have.keys('username');
      expect(again.headers.getSetCookie()).to.deep.equal([]);
    }
  });

  it('succeeds for one of many simultaneous requests for one name', async () => {
    const username = newForm().username;
    const tries = Array.from({ length: 12 }, () =>
      post(app.url, '/api/auth/register', newForm({ username })),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.sort()).to.deep.equal([201, ...Array<number>(11).fill(409)]);
    const rows = await query(app.db, 'select 1 from users where username = $1', [username]);
    expect(rows).to.have.length(1);
  });

  it('creates no account with an invite that cannot be used', async () => {
    const before = await query(app.db, 'select id from rooms');
    const refused = await post(app.url, '/api/auth/register', newForm({ invite: 'nosuchcode1' }));
    expect(refused.status).to.equal(404);
    expect(await query(app.db, 'select id from rooms')).to.have.length(before.length);
  });

  it('takes one use of an invite, even if two race for the last', async () => {
    const ann = await app.person();
    const { server } = await ann.send('server:create', { name: 'Garden' });
    const { invite } = await ann.send('invite:create', { serverId: server.id, maxUses: 1 });
    const both = await Promise.all(
      [newForm(), newForm()].map((body) =>
        post(app.url, '/api/auth/register', { ...body, invite: invite.code }),
      ),
    );
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 404]);
    const { members } = await ann.send('member:list', { serverId: server.id });
    expect(members).to.have.length(2);
  });

  it('follows PARLEY_REGISTRATION, and entering as a guest follows PARLEY_GUESTS', async () => {
    const doors = await startApp({ PARLEY_REGISTRATION: 'invite', PARLEY_GUESTS: 'closed' });
    const owner = await doors.owner();
    const [lobby] = (await owner.send('server:list', {})).servers;
    const { invite } = await owner.send('invite:create', { serverId: lobby?.id ?? '' });
    const status = async (door: string, body: object) =>
      (await post(doors.url, `/api/auth/${door}`, body)).status;
    expect(await status('register', newForm())).to.equal(403);
    expect(await status('register', newForm({ invite: 'nosuchcode1' }))).to.equal(404);
    expect(await status('register', newForm({ invite: invite.code }))).to.equal(201);
    expect(await status('guest', { displayName: 'A' })).to.equal(403);
    expect(await status('guest', { displayName: 'A', invite: invite.code })).to.equal(403);
    await doors.close();
  });

  it('is open only to the owner while registration is closed', async () => {
    const closed = await startApp({ PARLEY_REGISTRATION: 'closed' });
    expect((await closed.owner()).user.kind).to.equal('registered');
    expect((await post(closed.url, '/api/auth/register', newForm())).status).to.equal(403);
    await closed.close();
  });

  it('makes the first account with the owner’s invite the owner, and no later one', async () => {
    const fresh = await startApp();
    const [owner] = await Promise.allSettled([fresh.owner(), fresh.owner()]).then((both) =>
      both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    );
    const [lobby] = (await owner!.send('server:list', {})).servers;
    const { members } = await owner!.send('member:list', { serverId: lobby?.id ?? '' });
    expect(members.map(({ role }) => role)).to.deep.equal(['owner']);
    await fresh.close();
  });

  it('adds no new account to Lobby when that is off; members stay', async () => {
    const on = await startApp();
    const early = await on.person();
    await on.close();
    const off = await startApp({ PARLEY_LOBBY: 'off' }, on.where);
    const late = await off.person();
    expect((await late.send('server:list', {})).servers).to.deep.equal([]);
    const again = await connectAs(off.url, early.cookie);
    expect((await again.send('server:list', {})).servers).to.have.length(1);
    await off.close();
  });
});
