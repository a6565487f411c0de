/** Coming back to an account, and how often one may try. */
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { newForm, password, replyOf } from '../support/entering.ts';
import { enterAs, post } from '../support/person.ts';

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
