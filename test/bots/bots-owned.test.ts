import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import { quotas } from '../../shared/quotas.ts';
import { connectPatiently } from '../../server/database/connect.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { connectBot, post, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { isBlocked } from '../support/table-lock.ts';
import { until } from '../support/time.ts';

describe('the owner of a bot', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let timelineId: string;

  before(async () => void (app = await startApp()));
  after(() => app.close());

  beforeEach(async () => {
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Workshop' });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await ben.send('server:join', { code });
  });

  const twentyAtOnce = <T>(work: () => Promise<T>) =>
    Promise.allSettled(Array.from({ length: 20 }, work));
  const botOf = async (person: Person, name = 'Echo') => {
    const { bot, token } = await person.send('bot:create', { name });
    await ann.send('bot:add', { botId: bot.id, serverId });
    return { ...bot, token };
  };
  const tokensOf = (botId: string) =>
    query(app.db, 'select id from sessions where user_id = $1', [botId]);
  const reads = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${app.url}/api/channels/${timelineId}/messages`, { headers })).status;
  };
  const isMember = async (userId: string) => {
    const { members } = await ann.send('member:list', { serverId, userIds: [userId] });
    return members.length === 1;
  };
  const bannedIds = async () =>
    (await ann.send('ban:list', { serverId })).bans.map(({ userId }) => userId);
  const signIn = (username: string, password: string) =>
    post(app.url, '/api/auth/login', { username, password });

  it('has one token after making twenty at once', async () => {
    const { bot } = await ben.send('bot:create', { name: 'Echo' });
    const made = await twentyAtOnce(() => ben.send('bot:rotate', { botId: bot.id }));
    expect(made.filter(({ status }) => status === 'fulfilled')).to.have.length(20);
    expect(await tokensOf(bot.id)).to.have.length(1);
  });

  it('leaves no token when deleting a bot while tokens are made', async () => {
    const { bot } = await ben.send('bot:create', { name: 'Echo' });
    await Promise.allSettled([
      ...Array.from({ length: 10 }, () => ben.send('bot:rotate', { botId: bot.id })),
      ben.send('bot:delete', { botId: bot.id }),
      ...Array.from({ length: 10 }, () => ben.send('bot:rotate', { botId: bot.id })),
    ]);
    expect(await tokensOf(bot.id)).to.have.length(0);
  });

  it('cannot exceed the limit by making twenty bots at once', async () => {
    const name = 'Echo';
    for (let i = 0; i < quotas.botsPerPerson - 4; i += 1) await ben.send('bot:create', { name });
    const made = await twentyAtOnce(() => ben.send('bot:create', { name }));
    expect(made.filter(({ status }) => status === 'fulfilled')).to.have.length(4);
    expect((await ben.send('bot:list', {})).bots).to.have.length(quotas.botsPerPerson);
  });

  it('is banned together with their bots, which can no longer read or be added', async () => {
    const [echo, other] = [await botOf(ben), await botOf(ann, 'Other')];
    const inside = await connectBot(app.url, echo.token);
    await inside.send('channel:join', { channelId: timelineId });
    expect(await reads(echo.token)).to.equal(200);
    const terms = { seconds: 3_600, reason: 'Spam' };
    const { ban } = await ann.send('ban:create', { serverId, userId: ben.id, ...terms });
    await inside.waitFor('head', ({ version }) => version === null);
    expect(await reads(echo.token)).to.equal(404);
    expect(await reads(other.token)).to.equal(200);
    expect(await bannedIds()).to.have.members([ben.id, echo.id]);
    for (const one of (await ann.send('ban:list', { serverId })).bans)
      expect(one).to.include({ reason: 'Spam', until: ban.until });
    expect((await ann.expectError('bot:add', { botId: echo.id, serverId })).code).to.equal(
      'conflict',
    );
    inside.close();
  });

  it('is banned without their bots if the ban says so', async () => {
    const echo = await botOf(ben);
    await ann.send('ban:create', { serverId, userId: ben.id, bots: false });
    expect(await bannedIds()).to.deep.equal([ben.id]);
    expect(await reads(echo.token)).to.equal(200);
  });

  it('can have no other bot added before the ban is lifted', async () => {
    const { bot } = await ben.send('bot:create', { name: 'Echo' });
    await ann.send('ban:create', { serverId, userId: ben.id });
    expect((await ann.expectError('bot:add', { botId: bot.id, serverId })).code).to.equal(
      'conflict',
    );
    await ann.send('ban:delete', { serverId, userId: ben.id });
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    await ann.send('bot:add', { botId: bot.id, serverId });
    expect(await isMember(bot.id)).to.equal(true);
  });

  it('stays a member when only a bot is banned, which can be added again once the ban is lifted', async () => {
    const bot = await botOf(ben);
    await ann.send('ban:create', { serverId, userId: bot.id });
    expect((await ann.expectError('bot:add', { botId: bot.id, serverId })).code).to.equal(
      'conflict',
    );
    expect([await isMember(ben.id), await isMember(bot.id)]).to.deep.equal([true, false]);
    await ann.send('ban:delete', { serverId, userId: bot.id });
    await ann.send('bot:add', { botId: bot.id, serverId });
    expect(await isMember(bot.id)).to.equal(true);
  });

  it('must be a member of the server to which the bot is added', async () => {
    const cleo = await app.person('Cleo');
    const { bot } = await cleo.send('bot:create', { name: 'Echo' });
    const add = () => ann.ask('bot:add', { botId: bot.id, serverId });
    expect(await add()).to.have.nested.property('error.code', 'conflict');
    const { invite } = await ann.send('invite:create', { serverId });
    await cleo.send('server:join', { code: invite.code });
    expect(await add()).to.have.property('ok', true);
    expect(await isMember(bot.id)).to.equal(true);
  });

  it('is not banned with a bot that the moderator does not outrank', async () => {
    const echo = await botOf(ben);
    const cleo = await app.person('Cleo');
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await cleo.send('server:join', { code });
    for (const userId of [cleo.id, echo.id])
      await ann.send('member:update', { serverId, userId, role: 'moderator' });
    const ban = { serverId, userId: ben.id };
    expect((await cleo.expectError('ban:create', ban)).code).to.equal('forbidden');
    expect(await isMember(ben.id)).to.equal(true);
    await ann.send('ban:create', ban);
    expect(await bannedIds()).to.have.members([ben.id, echo.id]);
  });

  it('may revoke the tokens of their bots when changing the password', async () => {
    const { username } = ben.user;
    const password = (n: number) => `a long password, the ${n}th`;
    const current = `the password of ${username ?? ''}`;
    const [echo, theirs] = [await botOf(ben), await botOf(ann, 'Other')];
    const inside = await connectBot(app.url, echo.token);
    await ben.send('user:changePassword', { current, next: password(1) });
    expect(await reads(echo.token)).to.equal(200);
    const change = { current: password(1), next: password(2), bots: 'revoke' as const };
    await ben.expectError('user:changePassword', { ...change, current: 'a wrong password' });
    expect(await reads(echo.token)).to.equal(200);
    await ben.send('user:changePassword', change);
    expect(await inside.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    expect(await reads(echo.token)).to.equal(401);
    expect(await reads(theirs.token)).to.equal(200);
    const { token } = await ben.send('bot:rotate', { botId: echo.id });
    expect(await reads(token)).to.equal(200);
    expect((await signIn(username ?? '', password(2))).status).to.equal(200);
  });

  it('is shown to everyone while they can see the bot', async () => {
    const { id, token } = await botOf(ben);
    const echo = await connectBot(app.url, token);
    expect(echo.user.ownerId).to.equal(ben.id);
    await echo.send('message:send', { timelineId, body: 'Beep' });
    await ben.send('server:leave', { serverId });
    const check = async () => {
      const { people } = await ann.send('message:list', { timelineId });
      expect(people[id]).to.include({ kind: 'bot', ownerId: ben.id });
      expect(people[ben.id]).to.include({ name: 'Ben', username: ben.user.username });
      expect(people[ann.id] ?? {}).not.to.have.property('ownerId');
    };
    await check();
    const { people } = await ann.send('member:list', { serverId, userIds: [id] });
    expect(people[ben.id]?.name).to.equal('Ben');
    await ben.send('bot:delete', { botId: id });
    await check();
  });
});

describe('deleting a bot', () => {
  it('does not block one server while another is busy', async () => {
    const app = await startPatientApp();
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const places = [await openPlace(ann, ben), await openPlace(ann, ben)];
    const sequelize = connectPatiently(app.where, () => Promise.resolve());
    for (const [busy, free] of [places, places.toReversed()] as [Place, Place][]) {
      const { bot } = await ben.send('bot:create', { name: 'Echo' });
      for (const { serverId } of places) await ann.send('bot:add', { botId: bot.id, serverId });
      let deleting: Promise<unknown> = Promise.resolve();
      await transaction({ sequelize }, async (db) => {
        await query(db, 'select 1 from rooms where id = $1 for update', [busy.serverId]);
        deleting = ben.send('bot:delete', { botId: bot.id });
        await until(() => isBlocked(db));
        await ann.send('message:send', { timelineId: free.channelId, body: 'Go on' });
      });
      await deleting;
      const { serverId } = free;
      const { members } = await ann.send('member:list', { serverId, userIds: [bot.id] });
      expect(members).to.deep.equal([]);
    }
    await sequelize.close();
    await app.close();
  });
});

type Place = Awaited<ReturnType<typeof openPlace>>;
