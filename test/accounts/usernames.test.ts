import { expect } from 'chai';
import { strangerRates } from '../../shared/limits.ts';
import { startApp, startStrictApp } from '../support/app.ts';
import { newForm, replyOf } from '../support/auth.ts';
import { post } from '../support/person.ts';

const look = (url: string, body: object, address = '192.0.2.1') =>
  post(url, '/api/auth/username', body, { 'x-forwarded-for': address });

describe('the check for a free username', () => {
  it('accepts any spelling, suggests two free names, and sets no cookie', async () => {
    const app = await startApp();
    await post(app.url, '/api/auth/register', newForm({ username: 'noor' }));
    const free = await look(app.url, { username: 'noor3' });
    expect(free.status).to.equal(200);
    expect(await free.json()).to.deep.equal({});
    for (const username of ['noor', 'NOOR', 'ｎｏｏｒ']) {
      const answer = await look(app.url, { username });
      expect(answer.headers.getSetCookie()).to.deep.equal([]);
      expect(await answer.json()).to.deep.equal({ taken: '“noor” is taken. Try noor2 or noor3.' });
    }
    const wrong = await look(app.url, { username: 'no or' });
    expect(wrong.status).to.equal(400);
    expect((await replyOf(wrong)).fields).to.have.keys('username');
    await app.close();
  });

  it('is allowed only to those who may register', async () => {
    const app = await startApp({ PARLEY_REGISTRATION: 'invite' });
    const owner = await app.owner();
    const [lobby] = (await owner.send('server:list', {})).servers;
    const { invite } = await owner.send('invite:create', { serverId: lobby?.id ?? '' });
    const username = owner.user.username ?? '';
    expect((await look(app.url, { username })).status).to.equal(403);
    expect((await look(app.url, { username, invite: 'nosuchcode1' })).status).to.equal(404);
    expect((await look(app.url, { username, invite: invite.code })).status).to.equal(200);
    await app.close();
  });

  it('is limited for each address, without delaying sign-ins or other addresses', async () => {
    const app = await startStrictApp({ TRUST_PROXY: '1' });
    const { points } = strangerRates.usernamePerAddress;
    for (let i = 0; i < points; i += 1)
      expect((await look(app.url, { username: `name${i}` })).status).to.equal(200);
    expect((await look(app.url, { username: 'one.more' })).status).to.equal(429);
    expect((await look(app.url, { username: 'one.more' }, '203.0.113.1')).status).to.equal(200);
    // Lookups do not count against the limits on sign-in attempts.
    for (let i = 0; i < strangerRates.quietPerAddress.points; i += 1)
      expect(await app.node.limits.tryTake('quietPerAddress', '192.0.2.1'), `${i}`).to.equal(true);
    await app.close();
  });
});
