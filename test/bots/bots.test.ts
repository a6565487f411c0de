import { expect } from 'chai';
import { sweepSessions } from '../../server/accounts/sessions.ts';
import { query } from '../../server/database/database.ts';
import { commands, type CommandName } from '../../shared/protocol.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectBot, openSocket, post, type Person } from '../support/person.ts';

describe('a bot', () => {
  let app: TestApp;
  let ann: Person;
  let timelineId: string;
  let serverId: string;

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Workshop' });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
  });
  after(() => app.close());

  const create = (more: object = {}) => ann.send('bot:create', { name: 'Echo', ...more });
  const refusal = (auth: object, cookie?: string) =>
    new Promise<{ code: string; message: string }>((resolve, reject) => {
      const socket = openSocket(app.url, cookie, { protocol: 1, ...auth });
      socket.once('ready', () => reject(new Error('it came in')));
      socket.once('connect_error', (error) => {
        socket.disconnect();
        resolve((error as Error & { data: { code: string; message: string } }).data);
      });
    });

  it('connects with its token, has no server at first, and writes where it is added', async () => {
    const { bot, token } = await create();
    expect(token).to.match(/^pbot_[\w-]{43}$/);
    const echo = await connectBot(app.url, token);
    expect(echo.user).to.deep.include({ id: bot.id, name: 'Echo', kind: 'bot', scopes: ['send'] });
    expect((await echo.send('server:list', {})).servers).to.deep.equal([]);
    expect((await echo.expectError('channel:join', { channelId: timelineId })).code).to.equal(
      'not_found',
    );
    await ann.send('server:open', { serverId });
    await ann.send('channel:join', { channelId: timelineId });
    await ann.send('bot:add', { botId: bot.id, serverId });
    await echo.waitFor('changes', ({ changes }) => changes[0]?.type === 'server:joined');
    await ann.waitFor('changes', ({ people }) => people[bot.id]?.kind === 'bot');
    await echo.send('channel:join', { channelId: timelineId });
    const { message } = await echo.send('message:send', { timelineId, body: 'Hello, people' });
    expect(message.authorId).to.equal(bot.id);
    echo.close();
  });

  it('does only what its token and, in a server, its role allow', async () => {
    const { message } = await ann.send('message:send', { timelineId, body: 'To be removed' });
    const mute = await create({ scopes: [] });
    const keeper = await create({ scopes: ['send', 'manage messages'] });
    for (const { bot } of [mute, keeper]) await ann.send('bot:add', { botId: bot.id, serverId });
    const quiet = await connectBot(app.url, mute.token);
    await quiet.send('channel:join', { channelId: timelineId });
    expect((await quiet.expectError('message:send', { timelineId, body: 'x' })).code).to.equal(
      'forbidden',
    );
    const guard = await connectBot(app.url, keeper.token);
    const remove = { messageId: message.id };
    expect((await guard.expectError('message:delete', remove)).code).to.equal('forbidden');
    await ann.send('member:update', { serverId, userId: keeper.bot.id, role: 'moderator' });
    expect((await guard.expectError('channel:create', { serverId, name: 'x' })).code).to.equal(
      'forbidden',
    );
    await guard.send('message:delete', remove);
    for (const one of [quiet, guard]) one.close();
  });

  it('is refused the commands that are for people only', async () => {
    const { token } = await create();
    const echo = await connectBot(app.url, token);
    const forPeople = (Object.keys(commands) as CommandName[]).filter(
      (name) => 'who' in commands[name],
    );
    expect(forPeople).to.include.members(['session:logout', 'server:create', 'bot:create']);
    for (const name of forPeople)
      expect(await echo.expectError(name, {}), name).to.include({ code: 'forbidden' });
    await echo.send('server:list', {});
    echo.close();
  });

  it('is disconnected within two seconds when its token is replaced, also on nodes without a common Redis', async () => {
    const far = await startApp({}, app.where);
    const { bot, token } = await create();
    const open = [await connectBot(app.url, token), await connectBot(far.url, token)];
    const made = await ann.send('bot:rotate', { botId: bot.id });
    const closings = await Promise.all(open.map((socket) => socket.waitFor('closing')));
    for (const closing of closings) expect(closing).to.include({ code: 'revoked', retry: false });
    expect(await refusal({ token })).to.include({ code: 'unauthenticated' });
    const echo = await connectBot(far.url, made.token);
    expect(echo.user.scopes).to.deep.equal(['send']);
    echo.close();
    await far.close();
  });

  it('is refused with an invalid token, even with a valid cookie', async () => {
    for (const token of ['', 'pbot_wrong', 7, { a: 1 }]) {
      const { code, message } = await refusal({ token }, ann.cookie);
      expect(code).to.equal('unauthenticated');
      expect(message).to.include('settings, under Bots');
    }
  });

  it('uses the HTTP gateway with the same token', async () => {
    const { bot, token } = await create();
    await ann.send('bot:add', { botId: bot.id, serverId });
    const speak = (authorization: string) =>
      post(app.url, '/api/messages', { timelineId, body: 'By HTTP' }, { authorization });
    expect((await speak(`Bearer ${token}`)).status).to.equal(201);
    const wrong = await speak('Bearer pbot_wrong');
    expect(wrong.status).to.equal(401);
    expect(await wrong.text()).to.include('unauthenticated');
  });

  it('has a session that never ends, and its token is not stored', async () => {
    const { bot, token } = await create();
    const echo = await connectBot(app.url, token);
    await query(app.db, `update sessions set last_seen_at = now() - interval '40 days'`);
    await sweepSessions(app);
    await echo.send('server:list', {});
    const [row] = await query<{ kept: string; all: string }>(
      app.db,
      `select expires_at::text as kept, row_to_json(sessions)::text as all
       from sessions where user_id = $1`,
      [bot.id],
    );
    expect(row?.kept).to.equal('infinity');
    expect(row?.all).not.to.include(token.slice(5));
    echo.close();
  });

  it('is the same bot with a new token when it is created again with the same id', async () => {
    const id = '01900000-0000-7000-8000-00000000b07a';
    const [first, second] = [await create({ id }), await create({ id })];
    expect(second.bot.id).to.equal(first.bot.id);
    expect(await refusal({ token: first.token })).to.include({ code: 'unauthenticated' });
    (await connectBot(app.url, second.token)).close();
    const ben = await app.person('Ben');
    expect((await ben.expectError('bot:create', { name: 'Mine', id })).code).to.equal('conflict');
  });

  it('loses all access when it is deleted, and its messages stay', async () => {
    const { bot, token } = await create();
    await ann.send('bot:add', { botId: bot.id, serverId });
    const echo = await connectBot(app.url, token);
    const { message } = await echo.send('message:send', { timelineId, body: 'I was here' });
    await ann.send('bot:delete', { botId: bot.id });
    expect(await echo.waitFor('closing')).to.include({ code: 'revoked' });
    await ann.waitFor('changes', ({ changes }) =>
      changes.some((change) => change.type === 'member:left' && change.userId === bot.id),
    );
    const { messages, people } = await ann.send('message:list', { timelineId });
    expect(messages.map(({ id }) => id)).to.include(message.id);
    expect(people[bot.id]).to.include({ name: 'Echo', kind: 'bot' });
    expect((await ann.send('bot:list', {})).bots.map(({ id }) => id)).not.to.include(bot.id);
    expect(await refusal({ token })).to.include({ code: 'unauthenticated' });
  });

  it('is one of at most 25 per owner', async () => {
    const ben = await app.person('Ben');
    for (let i = 0; i < 25; i += 1) await ben.send('bot:create', { name: `Bot ${i}` });
    expect((await ben.expectError('bot:create', { name: 'One more' })).code).to.equal('conflict');
  });
});
