import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { newForm, password, replyOf } from '../support/auth.ts';
import { enterAs, post } from '../support/person.ts';

describe('signing in', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('accepts the password with any spelling of the name', async () => {
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

  it('joins the server of a valid invite, and is refused with a used-up one', async () => {
    const ann = await app.person();
    const { server } = await ann.send('server:create', { name: 'Garden' });
    const { invite } = await ann.send('invite:create', { serverId: server.id, maxUses: 1 });
    const body = newForm();
    await post(app.url, '/api/auth/register', body);
    const ben = await enterAs(app.url, 'login', { ...body, invite: invite.code });
    expect((await ben.send('server:list', {})).servers.map(({ id }) => id)).to.include(server.id);
    // The invite is used up by the same account, so its second device can sign in with the same link.
    const again = await post(app.url, '/api/auth/login', { ...body, invite: invite.code });
    expect(again.status).to.equal(200);
    const late = newForm();
    await post(app.url, '/api/auth/register', late);
    const refused = await post(app.url, '/api/auth/login', { ...late, invite: invite.code });
    expect(refused.status).to.equal(404);
    expect(refused.headers.getSetCookie()).to.deep.equal([]);
  });
});
