import { expect } from 'chai';
import { query } from '../server/database/database.ts';
import { startApp, type TestApp } from './support/app.ts';
import { alive, dead, newForm, opens, password, replyOf } from './support/entering.ts';
import { connectAs, cookieOf, enterAs, post } from './support/person.ts';

describe('registering', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('makes an account that is in Lobby, whose others hear of it', async () => {
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
    const { people } = await ann.hears('changes', ({ changes }) =>
      changes.some(
        (change) => change.type === 'member:joined' && change.member.userId === user?.id,
      ),
    );
    expect(people[user?.id ?? '']?.name).to.equal('Big Ben');
  });

  it('takes a name once, however it is written', async () => {
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

  it('lets one of many win who ask for one name at once', async () => {
    const username = newForm().username;
    const tries = Array.from({ length: 12 }, () =>
      post(app.url, '/api/auth/register', newForm({ username })),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.sort()).to.deep.equal([201, ...Array<number>(11).fill(409)]);
    const rows = await query(app.app.db, 'select 1 from users where username = $1', [username]);
    expect(rows).to.have.length(1);
  });

  it('leaves no trace of an account whose invite cannot be used', async () => {
    const before = await query(app.app.db, 'select id from rooms');
    const refused = await post(app.url, '/api/auth/register', newForm({ invite: 'nosuchcode1' }));
    expect(refused.status).to.equal(404);
    expect(await query(app.app.db, 'select id from rooms')).to.have.length(before.length);
  });

  it('uses an invite once, also when two come with its last use', async () => {
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

  it('is for those whom the door is open to', async () => {
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

  it('is for the owner to come even through a closed door, and for nobody else', async () => {
    const closed = await startApp({ PARLEY_REGISTRATION: 'closed' });
    expect((await closed.owner()).user.kind).to.equal('registered');
    expect((await post(closed.url, '/api/auth/register', newForm())).status).to.equal(403);
    await closed.close();
  });

  it('makes the first who comes by the owner’s invite the owner, and nobody after', async () => {
    const fresh = await startApp();
    const [owner] = await Promise.allSettled([fresh.owner(), fresh.owner()]).then((both) =>
      both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    );
    const [lobby] = (await owner!.send('server:list', {})).servers;
    const { members } = await owner!.send('member:list', { serverId: lobby?.id ?? '' });
    expect(members.map(({ role }) => role)).to.deep.equal(['owner']);
    await fresh.close();
  });

  it('joins nobody to Lobby where that is off, and those who are in stay', async () => {
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

describe('a guest who registers', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('stays who they are, in a new session, and others hear of it', async () => {
    const ann = await app.person('Ann');
    const [lobby] = (await ann.send('server:list', {})).servers;
    const serverId = lobby?.id ?? '';
    await ann.send('server:open', { serverId });
    const guest = await app.guest('Gus');
    const timelineId = lobby?.defaultChannelId ?? '';
    const { message } = await guest.send('message:send', { timelineId, body: 'as a guest' });
    const body = newForm();
    const gus = await enterAs(app.url, 'register', body, guest.cookie);
    expect(gus.user).to.deep.equal({
      id: guest.id,
      name: 'Gus',
      kind: 'registered',
      rev: 2,
      username: body.username,
    });
    const news = await ann.hears('people', ({ people }) => guest.id in people);
    expect(news.people[guest.id]).to.deep.equal({
      id: guest.id,
      name: 'Gus',
      kind: 'registered',
      rev: 2,
    });
    expect(await guest.hears('closing')).to.include({ code: 'renewed', retry: true });
    expect(await opens(app.url, guest.cookie)).to.deep.equal(dead);
    expect((await gus.send('server:list', {})).servers.map(({ id }) => id)).to.deep.equal([
      serverId,
    ]);
    const edited = await gus.send('message:edit', { messageId: message.id, body: 'as myself' });
    expect(edited.message.authorId).to.equal(guest.id);
    expect((await post(app.url, '/api/auth/login', body)).status).to.equal(200);
  });

  it('may take another display name', async () => {
    const guest = await app.guest('Gus');
    const gus = await enterAs(
      app.url,
      'register',
      newForm({ displayName: 'Gustav' }),
      guest.cookie,
    );
    expect(gus.user).to.include({ id: guest.id, name: 'Gustav' });
  });

  it('stays a guest, signed in, when the name is taken', async () => {
    const taken = newForm();
    await post(app.url, '/api/auth/register', taken);
    const guest = await app.guest();
    const refused = await post(app.url, '/api/auth/register', taken, { cookie: guest.cookie });
    expect(refused.status).to.equal(409);
    expect((await replyOf(refused)).error?.field).to.equal('username');
    expect(await opens(app.url, guest.cookie)).to.deep.equal(alive);
    expect((await guest.again()).user.kind).to.equal('guest');
  });

  it('does so once, however often they ask at the same moment', async () => {
    const guest = await app.guest();
    const claims = await Promise.all(
      Array.from({ length: 6 }, () =>
        post(app.url, '/api/auth/register', newForm(), { cookie: guest.cookie }),
      ),
    );
    const replies = await Promise.all(claims.map(replyOf));
    const won = replies.filter(({ user }) => user?.id === guest.id);
    expect(won).to.have.length(1);
    const [now] = await query<{ username: string; rev: number }>(
      app.app.db,
      'select username, rev from users where id = $1',
      [guest.id],
    );
    expect(now).to.deep.equal({ username: won[0]?.user?.username, rev: 2 });
  });

  it('races with another guest for one name, and one of them wins', async () => {
    const [ann, ben] = [await app.guest(), await app.guest()];
    const body = newForm();
    const claims = await Promise.all(
      [ann, ben].map(({ cookie }) => post(app.url, '/api/auth/register', body, { cookie })),
    );
    expect(claims.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
  });

  it('is only who holds the guest’s cookie', async () => {
    const guest = await app.guest();
    const stranger = await enterAs(app.url, 'register', newForm());
    expect(stranger.id).to.not.equal(guest.id);
    const somebody = await enterAs(app.url, 'register', newForm(), stranger.cookie);
    expect(somebody.id).to.not.equal(stranger.id);
  });
});

describe('signing in', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('lets in who has the password, by any spelling of the name', async () => {
    const body = newForm();
    const { user } = await replyOf(await post(app.url, '/api/auth/register', body));
    const username = body.username.toUpperCase();
    const response = await post(app.url, '/api/auth/login', { ...body, username });
    expect(response.status).to.equal(200);
    expect((await replyOf(response)).user).to.deep.equal(user);
    const wrong = await post(app.url, '/api/auth/login', { ...body, password: `${password}!` });
    expect(wrong.status).to.equal(401);
    expect(wrong.headers.getSetCookie()).to.deep.equal([]);
  });

  it('joins the invite’s server too, and by a dead one nothing happens', async () => {
    const ann = await app.person();
    const { server } = await ann.send('server:create', { name: 'Garden' });
    const { invite } = await ann.send('invite:create', { serverId: server.id, maxUses: 1 });
    const body = newForm();
    await post(app.url, '/api/auth/register', body);
    const ben = await enterAs(app.url, 'login', { ...body, invite: invite.code });
    expect((await ben.send('server:list', {})).servers.map(({ id }) => id)).to.include(server.id);
    // Used up, but by oneself: a second device that comes by the same link is in.
    const again = await post(app.url, '/api/auth/login', { ...body, invite: invite.code });
    expect(again.status).to.equal(200);
    const late = newForm();
    await post(app.url, '/api/auth/register', late);
    const refused = await post(app.url, '/api/auth/login', { ...late, invite: invite.code });
    expect(refused.status).to.equal(404);
    expect(refused.headers.getSetCookie()).to.deep.equal([]);
  });

  it('is slowed down for each account and each address, whoever asks (S-10, S-24)', async () => {
    const slow = await startApp({ PARLEY_RATE_SCALE: '1', TRUST_PROXY: '1' });
    const enter = (door: string, body: object, address: string) =>
      post(slow.url, `/api/auth/${door}`, body, { 'x-forwarded-for': address });
    const [victim, other] = [newForm(), newForm()];
    for (const body of [victim, other]) await enter('register', body, '192.0.2.1');
    // One account from many addresses.
    for (let i = 0; i < 10; i += 1)
      expect(
        (await enter('login', { ...victim, password: 'guess' }, `198.51.100.${i}`)).status,
      ).to.equal(401);
    const refused = await enter('login', victim, '203.0.113.1');
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 300);
    const { error } = await replyOf(refused);
    expect(error).to.include({ code: 'rate_limited', retryable: true });
    expect((await enter('login', other, '203.0.113.1')).status).to.equal(200);
    // Many accounts from one address, or from addresses of one network.
    for (let i = 0; i < 40; i += 1)
      expect((await enter('guest', { displayName: 'A' }, `2001:db8:0:1::${i}`)).status).to.equal(
        201,
      );
    expect((await enter('guest', { displayName: 'A' }, '2001:db8:0:1:ffff::1')).status).to.equal(
      429,
    );
    expect((await enter('guest', { displayName: 'A' }, '2001:db8:0:2::1')).status).to.equal(201);
    await slow.close();
    // Where no proxy is trusted, nobody chooses the address that is counted.
    const alone = await startApp({ PARLEY_RATE_SCALE: '0.05' });
    const guest = (address: string) =>
      post(alone.url, '/api/auth/guest', { displayName: 'A' }, { 'x-forwarded-for': address });
    expect((await guest('192.0.2.1')).status).to.equal(201);
    expect((await guest('192.0.2.2')).status).to.equal(201);
    expect((await guest('192.0.2.3')).status).to.equal(429);
    await alone.close();
  });
});

describe('changing the password', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());
  const next = 'another long sentence';

  it('asks for the present one, and ends all other sessions (S-26)', async () => {
    const body = newForm();
    const desk = await enterAs(app.url, 'register', body);
    const phone = await enterAs(app.url, 'login', body);
    const wrong = await desk.fails('user:changePassword', { current: 'not this one', next });
    expect(wrong).to.include({ code: 'forbidden', field: 'current' });
    expect(await opens(app.url, phone.cookie)).to.deep.equal(alive);
    await desk.send('user:changePassword', { current: password, next });
    expect(await phone.hears('closing')).to.include({ code: 'revoked', retry: false });
    expect(await opens(app.url, phone.cookie)).to.deep.equal(dead);
    expect(await opens(app.url, desk.cookie)).to.deep.equal(alive);
    expect(desk.heard('closing')).to.deep.equal([]);
    expect((await post(app.url, '/api/auth/login', body)).status).to.equal(401);
    expect((await post(app.url, '/api/auth/login', { ...body, password: next })).status).to.equal(
      200,
    );
  });

  it('is not for guests, who have none', async () => {
    const guest = await app.guest();
    const error = await guest.fails('user:changePassword', { current: 'x', next });
    expect(error.code).to.equal('conflict');
  });

  it('leaves no session that was begun with the old one, however close', async () => {
    for (let round = 0; round < 15; round += 1) {
      const body = newForm();
      const desk = await enterAs(app.url, 'register', body);
      const logins = Array.from({ length: 4 }, () => post(app.url, '/api/auth/login', body));
      const [responses] = await Promise.all([
        Promise.all(logins),
        desk.send('user:changePassword', { current: password, next }),
      ]);
      for (const response of responses) {
        const { http } =
          response.status === 200 ? await opens(app.url, cookieOf(response)) : { http: 401 };
        expect(http).to.equal(401);
      }
      const { sessions } = await desk.send('session:list', {});
      expect(sessions).to.have.length(1);
      desk.close();
    }
  });

  it('lets one of two win who change it at once', async () => {
    const ann = await enterAs(app.url, 'register', newForm());
    const change = (to: string) =>
      ann.send('user:changePassword', { current: password, next: to }).then(
        () => 'changed',
        () => 'refused',
      );
    const both = await Promise.all([change('the first new one'), change('the second new one')]);
    expect(both.sort()).to.deep.equal(['changed', 'refused']);
    await connectAs(app.url, ann.cookie);
  });
});

describe('a new name', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('is heard by one’s own devices and by who shares a server, and by nobody else', async () => {
    const [ann, ben, stranger] = [
      await app.person('Ann'),
      await app.person('Ben'),
      await app.person('Cleo'),
    ];
    const [lobby] = (await ann.send('server:list', {})).servers;
    const serverId = lobby?.id ?? '';
    await stranger.send('server:leave', { serverId });
    for (const person of [ann, ben]) await person.send('server:open', { serverId });
    const phone = await connectAs(app.url, ann.cookie);
    const { user } = await ann.send('user:update', { displayName: 'Anna' });
    expect(user).to.deep.equal({ ...ann.user, name: 'Anna', rev: 2 });
    for (const listener of [ben, phone])
      expect((await listener.hears('people')).people).to.deep.equal({
        [ann.user.id]: { id: ann.user.id, name: 'Anna', kind: 'registered', rev: 2 },
      });
    expect(stranger.heard('people')).to.deep.equal([]);
  });

  it('stands under what one writes next, on every device, and is there after coming back', async () => {
    const [dora, emil] = [await app.person('Dora'), await app.person('Emil')];
    const phone = await connectAs(app.url, dora.cookie);
    const [lobby] = (await dora.send('server:list', {})).servers;
    const timelineId = lobby?.defaultChannelId ?? '';
    await emil.send('channel:join', { channelId: timelineId });
    await dora.send('user:update', { displayName: 'Dora the First' });
    await phone.hears('people');
    await phone.send('message:send', { timelineId, body: 'Hello' });
    const { people } = await emil.hears('changes', ({ room }) => room === `timeline:${timelineId}`);
    expect(people[dora.user.id]).to.include({ name: 'Dora the First', rev: 2 });
    expect((await connectAs(app.url, dora.cookie)).user.name).to.equal('Dora the First');
  });

  it('that is the old one changes nothing, and one that is no name is refused', async () => {
    const ann = await app.person('Ann');
    expect((await ann.send('user:update', { displayName: 'Ann' })).user.rev).to.equal(1);
    expect((await ann.send('user:update', {})).user.rev).to.equal(1);
    for (const displayName of ['', '   ', 'x'.repeat(65), 'a\u202eb', 'a\u200bb'])
      expect(await ann.fails('user:update', { displayName })).to.include({
        code: 'invalid',
        field: 'displayName',
      });
  });
});
