import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { alive, dead, newForm, opens, replyOf } from '../support/auth.ts';
import { enterAs, post } from '../support/person.ts';

describe('a guest who registers', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('keeps the same account in a new session, and others receive the change', async () => {
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
    const news = await ann.waitFor('people', ({ people }) => guest.id in people);
    expect(news.people[guest.id]).to.deep.equal(gus.user);
    expect(await guest.waitFor('closing')).to.include({ code: 'renewed', retry: true });
    expect(await opens(app.url, guest.cookie)).to.deep.equal(dead);
    expect((await gus.send('server:list', {})).servers.map(({ id }) => id)).to.deep.equal([
      serverId,
    ]);
    await ann.send('channel:join', { channelId: timelineId });
    await gus.send('message:send', { timelineId, body: 'registered' });
    const { people } = await ann.waitFor(
      'changes',
      ({ room }) => room === `timeline:${timelineId}`,
    );
    expect(people[guest.id]).to.deep.equal(gus.user);
    const edited = await gus.send('message:edit', { messageId: message.id, body: 'as myself' });
    expect(edited.message.authorId).to.equal(guest.id);
    expect((await post(app.url, '/api/auth/login', body)).status).to.equal(200);
  });

  it('may change the display name', async () => {
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
    expect((await guest.newTab()).user.kind).to.equal('guest');
  });

  it('is registered once when several requests arrive at once', async () => {
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
      app.db,
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

  it('is recognised only by the guest’s cookie', async () => {
    const guest = await app.guest();
    const stranger = await enterAs(app.url, 'register', newForm());
    expect(stranger.id).to.not.equal(guest.id);
    const somebody = await enterAs(app.url, 'register', newForm(), stranger.cookie);
    expect(somebody.id).to.not.equal(stranger.id);
  });
});
