import { expect } from 'chai';
import { v7 } from 'uuid';
import { sweepRevocations } from '../../server/connection/revocations.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { swept } from '../support/swept.ts';

describe('channels', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let defaultId: string;
  let code: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, defaultId] = [server.id, server.defaultChannelId];
    code = (await ann.send('invite:create', { serverId })).invite.code;
    await ben.send('server:join', { code });
  });
  afterEach(() => ann.send('server:delete', { serverId }));
  after(() => app.close());

  const make = async (name: string, more: { id?: string; topic?: string } = {}) =>
    (await ann.send('channel:create', { serverId, name, ...more })).channel;
  const list = async (person = ann) => {
    const entry = await person.send('server:open', { serverId });
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    return {
      channels: entry.state.channels,
      defaultChannelId: entry.state.servers[0]?.defaultChannelId,
    };
  };
  const sql = (text: string, ...bind: unknown[]) => app.db.sequelize.query(text, { bind });
  const failure = async (attempt: Promise<unknown>) =>
    attempt.then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );

  it('are added below the others, with their topic, and all members receive the change', async () => {
    await ben.send('server:open', { serverId });
    const news = await make('news', { topic: 'What is new' });
    const talk = await make('talk');
    expect(news).to.include({ serverId, name: 'news', topic: 'What is new', position: 2 });
    expect(talk).to.include({ topic: '', position: 3 });
    const { changes } = await ben.waitFor(
      'changes',
      ({ room, to }) => room === serverRoom(serverId) && to === news.version,
    );
    expect(changes.at(-1)).to.deep.equal({
      type: 'channel:created',
      version: news.version,
      channel: news,
    });
    expect((await list()).channels.map(({ name }) => name)).to.deep.equal([
      'general',
      'news',
      'talk',
    ]);
    await ben.send('message:send', { timelineId: news.id, body: 'First' });
  });

  it('are created once when requested twenty times at once under one id', async () => {
    const id = v7();
    const acks = await Promise.all(Array.from({ length: 20 }, () => make('once', { id })));
    expect(new Set(acks.map((channel) => JSON.stringify(channel))).size).to.equal(1);
    expect((await list()).channels).to.have.length(2);
  });

  it('refuse an id that is in use', async () => {
    const { server: other } = await ann.send('server:create', { name: 'Other' });
    const stored = await make('stored', { id: v7() });
    const taken = [
      { serverId, name: 'another name', id: stored.id },
      { serverId: other.id, name: 'stored', id: stored.id },
      { serverId, name: 'stored', id: serverId },
      { serverId, name: 'stored', id: ann.id },
    ];
    for (const input of taken)
      expect((await ann.expectError('channel:create', input)).code).to.equal('conflict');
    expect(await make('stored', { id: stored.id })).to.deep.equal(stored);
  });

  it('have names of 1 to 32 characters, when made and when renamed', async () => {
    const [long, tooLong] = ['🦔'.repeat(limits.channelName), 'x'.repeat(limits.channelName + 1)];
    const { id } = await make(long);
    expect(
      await ann.send('channel:update', { channelId: id, name: 'x'.repeat(32) }),
    ).to.have.nested.property('channel.name.length', 32);
    for (const name of [tooLong, '🦔'.repeat(33), '', ' ', 'a\u202eb']) {
      expect(await ann.expectError('channel:create', { serverId, name })).to.include({
        code: 'invalid',
        field: 'name',
      });
      expect(await ann.expectError('channel:update', { channelId: id, name })).to.include({
        code: 'invalid',
        field: 'name',
      });
    }
  });

  it('have names of 1 to 32 characters even for raw SQL', async () => {
    for (const name of ['x'.repeat(33), '']) {
      expect(
        await failure(sql('update channels set name = $1 where id = $2', name, defaultId)),
      ).to.match(/check/);
      const insert = `insert into channels (id, server_id, name, position, version) values ($1, $2, $3, 9, 9)`;
      expect(await failure(sql(insert, v7(), serverId, name))).to.match(/check/);
    }
    expect(
      await failure(sql('update channels set name = $1 where id = $2', 'é'.repeat(32), defaultId)),
    ).to.equal(undefined);
  });

  it('are renamed and get a topic; setting the current values changes nothing', async () => {
    const { id } = await make('plan');
    const { channel } = await ann.send('channel:update', {
      channelId: id,
      name: 'plans',
      topic: 'Soon',
    });
    expect(channel).to.include({ name: 'plans', topic: 'Soon' });
    expect(await ann.send('channel:update', { channelId: id, name: 'plans' })).to.deep.equal({
      channel,
    });
    expect(await ann.send('channel:update', { channelId: id })).to.deep.equal({ channel });
    const cleared = await ann.send('channel:update', { channelId: id, topic: '' });
    expect(cleared.channel).to.include({ name: 'plans', topic: '', version: channel.version + 1 });
    expect(
      (await ben.expectError('channel:update', { channelId: id, name: 'mine' })).code,
    ).to.equal('forbidden');
  });

  it('are limited in number, however many ask at once', async () => {
    await sql(
      `with made as (
         insert into rooms (id, kind) select gen_random_uuid(), 'timeline' from generate_series(1, $2) returning id
       )
       insert into channels (id, server_id, name, position, version) select id, $1, 'many', 5, 1 from made`,
      serverId,
      quotas.channelsPerServer - 2,
    );
    const last = await Promise.allSettled(Array.from({ length: 5 }, (_, i) => make(`last ${i}`)));
    expect(last.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect((await ann.expectError('channel:create', { serverId, name: 'more' })).code).to.equal(
      'conflict',
    );
  });

  it('are deleted with their messages, and everyone loses access at once', async () => {
    const { id } = await make('brief');
    await ben.send('server:open', { serverId });
    await ben.send('channel:join', { channelId: id });
    const { message } = await ben.send('message:send', { timelineId: id, body: 'Hm' });
    expect((await ben.expectError('channel:delete', { channelId: id })).code).to.equal('forbidden');
    await ann.send('channel:delete', { channelId: id });
    await ben.waitFor('head', ({ room, version }) => room === timelineRoom(id) && version === null);
    await ben.waitFor('changes', ({ changes }) =>
      changes.some((change) => change.type === 'channel:deleted' && change.channelId === id),
    );
    for (const person of [ann, ben]) {
      expect((await person.expectError('channel:join', { channelId: id })).code).to.equal(
        'not_found',
      );
      expect(
        (await person.expectError('message:send', { timelineId: id, body: 'Hm' })).code,
      ).to.equal('not_found');
      expect((await person.expectError('message:delete', { messageId: message.id })).code).to.equal(
        'not_found',
      );
    }
    await swept(app);
    const [left] = await sql(
      'select 1 from rooms where id = $1 union select 1 from messages where timeline_id = $1',
      id,
    );
    expect(left).to.deep.equal([]);
  });

  it('are joined and left by those who may see them', async () => {
    const cem = await app.person();
    for (const channelId of [defaultId, v7()])
      for (const command of ['channel:join', 'channel:leave'] as const)
        expect((await cem.expectError(command, { channelId })).code).to.equal('not_found');
    await ben.send('channel:join', { channelId: defaultId });
    await ben.send('channel:leave', { channelId: defaultId });
    expect(app.node.io.of('/').adapter.rooms.has(timelineRoom(defaultId))).to.equal(false);
  });

  it('are forgotten by nodes after their deletion, once none of their changes can be in transit', async () => {
    const { id } = await make('kept');
    await ben.send('channel:join', { channelId: id });
    for (let i = 0; i < 5; i += 1)
      await ann.send('channel:delete', { channelId: (await make(`brief ${i}`)).id });
    const closed = () => app.node.access.closedCount(serverId);
    expect(closed()).to.equal(5);
    for (let i = 0; i < 2; i += 1) await sweepRevocations(app.node);
    expect(closed()).to.equal(0);
  });

  describe('the default one', () => {
    it('cannot be deleted, and the refusal states the alternative', async () => {
      expect(await ann.expectError('channel:delete', { channelId: defaultId })).to.include({
        code: 'conflict',
        message:
          'New members start here. The default channel can’t be deleted. Choose another default first.',
      });
      const { id } = await make('next');
      await ann.send('server:update', { serverId, defaultChannelId: id });
      await ann.send('channel:delete', { channelId: defaultId });
      expect((await list()).defaultChannelId).to.equal(id);
    });

    it('cannot be removed by raw SQL either', async () => {
      const { server: other } = await ann.send('server:create', { name: 'Other' });
      const attempts: [string, ...unknown[]][] = [
        ['delete from channels where id = $1', defaultId],
        ['delete from channels where server_id = $1', serverId],
        ['delete from rooms where id = $1', defaultId],
        ['update channels set server_id = $1 where id = $2', other.id, defaultId],
        ['update channels set id = gen_random_uuid() where id = $1', defaultId],
        ['update servers set default_channel_id = null where id = $1', serverId],
        ['update servers set default_channel_id = gen_random_uuid() where id = $1', serverId],
        [
          'update servers set default_channel_id = $1 where id = $2',
          other.defaultChannelId,
          serverId,
        ],
        ['truncate channels'],
        ['truncate rooms'],
      ];
      for (const attempt of attempts)
        expect(await failure(sql(...attempt)), attempt[0]).to.be.a('string');
      expect((await list()).defaultChannelId).to.equal(defaultId);
    });

    it('stays exactly one through a hundred races between deleting and choosing it', async () => {
      for (let round = 0; round < 100; round += 1) {
        const { defaultChannelId } = await list();
        const next = await make(`round ${round}`);
        const outcomes = await Promise.allSettled([
          ann.send('channel:delete', { channelId: next.id }),
          ann.send('server:update', { serverId, defaultChannelId: next.id }),
          ann.send('channel:delete', { channelId: defaultChannelId ?? '' }),
        ]);
        const codes = outcomes.flatMap((it) =>
          it.status === 'rejected' ? [(it.reason as { code: string }).code] : [],
        );
        expect(
          codes.every((one) => one === 'conflict' || one === 'not_found'),
          codes.join(),
        ).to.equal(true);
        const after = await list();
        expect(after.channels.filter(({ id }) => id === after.defaultChannelId)).to.have.length(1);
      }
    });
  });
});
