import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { alive, dead, opens, replyOf } from '../support/auth.ts';
import {
  connectBot,
  cookieOf,
  enterAs,
  openBotSocket,
  post,
  type Person,
} from '../support/person.ts';
import { describeTopologies, type Topology } from '../support/topologies.ts';

const signIn = ({ url, user }: Person, password = `the password of ${user.username ?? ''}`) =>
  post(url, '/api/auth/login', { username: user.username, password });

const opensFor = async (url: string, token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await fetch(`${url}/api/servers`, { headers });
  const socket = openBotSocket(url, token);
  const outcome = await new Promise<string>((resolve) => {
    socket.once('ready', () => resolve('ready'));
    socket.once('connect_error', (error) =>
      resolve((error as Error & { data?: { code: string } }).data?.code ?? error.message),
    );
  });
  socket.disconnect();
  return { http: status, socket: outcome };
};

const suspend = (owner: Person, { id }: Person, suspended = true) =>
  owner.send('account:update', { userId: id, suspended });

function tests(topology: () => Topology): void {
  let owner: Person;
  before(async () => void (owner = await topology().nodes[0].owner()));

  it('ends the sessions, the sockets and the bot tokens of the account on every node', async () => {
    const ann = await topology().person('Ann');
    const there = await topology().elsewhere(ann);
    const { token } = await ann.send('bot:create', { name: 'Echo' });
    const bots = [];
    for (const { url } of topology().nodes) bots.push(await connectBot(url, token));
    await suspend(owner, ann);
    for (const one of [ann, there])
      expect(await one.waitFor('closing')).to.deep.equal({
        code: 'revoked',
        reason: 'Your account is suspended.',
        retry: false,
      });
    for (const bot of bots) expect(await bot.waitFor('closing')).to.include({ code: 'revoked' });
    for (const { url } of topology().nodes) {
      expect(await opens(url, ann.cookie)).to.deep.equal(dead);
      expect(await opensFor(url, token)).to.deep.equal(dead);
    }
  });
}

describeTopologies('a suspension', tests);

describe('the invites of a suspended account', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('admit nobody until it is restored', async () => {
    const owner = await app.owner();
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Place' });
    const serverId = server.id;
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await suspend(owner, ann);
    expect((await ben.expectError('invite:get', { code })).code).to.equal('not_found');
    expect((await ben.expectError('server:join', { code })).code).to.equal('not_found');
    await suspend(owner, ann, false);
    await ben.send('invite:get', { code });
    await ben.send('server:join', { code });
  });
});

describe('a suspended account', () => {
  let app: TestApp;
  let owner: Person;
  let ann: Person;
  before(async () => {
    app = await startApp();
    owner = await app.owner();
  });
  after(() => app.close());
  beforeEach(async () => void (ann = await app.person('Ann')));

  it('is refused as suspended with the right password, and as usual with a wrong one', async () => {
    const wrongBefore = await replyOf(await signIn(ann, 'not the password'));
    await suspend(owner, ann);
    const right = await signIn(ann);
    expect(right.status).to.equal(403);
    expect((await replyOf(right)).error?.message).to.equal('This account is suspended.');
    const wrong = await signIn(ann, 'not the password');
    expect(wrong.status).to.equal(401);
    expect((await replyOf(wrong)).error?.message).to.equal(wrongBefore.error?.message);
    expect(right.headers.getSetCookie().join()).not.to.include('_device=');
    await suspend(owner, ann, false);
    expect((await signIn(ann)).status).to.equal(200);
  });

  it('keeps no session from a simultaneous sign-in', async () => {
    for (let round = 0; round < 8; round += 1) {
      const one = await app.person();
      const logins = Array.from({ length: 4 }, () => signIn(one));
      const [responses] = await Promise.all([Promise.all(logins), suspend(owner, one)]);
      await suspend(owner, one, false);
      for (const response of responses) {
        if (response.status === 200)
          expect(await opens(app.url, cookieOf(response))).to.deep.equal(dead);
      }
    }
  });

  it('keeps its messages and servers, and has access again when restored', async () => {
    const { server } = await ann.send('server:create', { name: 'Garden' });
    const timelineId = server.defaultChannelId;
    const { message } = await ann.send('message:send', { timelineId, body: 'Hi' });
    const { code } = (await ann.send('invite:create', { serverId: server.id })).invite;
    const ben = await app.person('Ben');
    await ben.send('server:join', { code });
    await suspend(owner, ann);
    const { messages, people } = await ben.send('message:list', { timelineId });
    expect(messages.find(({ id }) => id === message.id)?.body).to.equal('Hi');
    expect(people[ann.id]?.name).to.equal('Ann');
    const { members } = await ben.send('member:list', { serverId: server.id });
    expect(members.find(({ userId }) => userId === ann.id)?.role).to.equal('owner');
    await suspend(owner, ann, false);
    const password = `the password of ${ann.user.username ?? ''}`;
    const back = await enterAs(app.url, 'login', { username: ann.user.username, password });
    await back.send('message:send', { timelineId, body: 'Back' });
  });

  it('gets no bot token back when restored, and can make new ones', async () => {
    const { bot, token } = await ann.send('bot:create', { name: 'Echo' });
    expect(await opensFor(app.url, token)).to.deep.equal(alive);
    await suspend(owner, ann);
    await suspend(owner, ann, false);
    expect(await opensFor(app.url, token)).to.deep.equal(dead);
    const password = `the password of ${ann.user.username ?? ''}`;
    const back = await enterAs(app.url, 'login', { username: ann.user.username, password });
    const renewed = await back.send('bot:rotate', { botId: bot.id });
    expect(await opensFor(app.url, renewed.token)).to.deep.equal(alive);
  });

  it('is noticed within two seconds by a node that receives no notification', async () => {
    const deaf = await startApp({}, app.where);
    const elsewhere = await enterAs(deaf.url, 'login', {
      username: ann.user.username,
      password: `the password of ${ann.user.username ?? ''}`,
    });
    await suspend(owner, ann);
    expect(await elsewhere.waitFor('closing')).to.include({ reason: 'Your account is suspended.' });
    await deaf.close();
  });
});
