import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Category } from '../shared/categories.ts';
import type { Channel } from '../shared/channels.ts';
import { limits } from '../shared/limits.ts';
import { serverRoom } from '../shared/rooms.ts';
import { query } from '../server/database/database.ts';
import { startApp, type TestApp } from './support/app.ts';
import type { Person } from './support/person.ts';

describe('categories', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let defaultId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, defaultId] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
  });
  afterEach(() => ann.send('server:delete', { serverId }));
  after(() => app.close());

  const make = async (name: string, id?: string) =>
    (await ann.send('category:create', { serverId, name, ...(id && { id }) })).category;
  const channel = async (name: string, categoryId: string | null = null) =>
    (await ann.send('channel:create', { serverId, name, categoryId })).channel;
  const state = async (person = ann) => {
    const entry = await person.send('server:open', { serverId });
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    return entry.state;
  };
  const names = (rows: { name: string }[]) => rows.map(({ name }) => name).join(' ');
  const categoryNames = async () => names((await state()).categories);
  const under = async (categoryId: string | null) =>
    names((await state()).channels.filter((one) => one.categoryId === categoryId));
  const sql = (text: string, ...bind: unknown[]) => query(app.app.db, text, bind);
  const move = async (to: { channelId: string; categoryId?: string | null; position?: number }) =>
    (await ann.send('channel:update', to)).channel;

  it('come below the others, and everyone in the server hears of them', async () => {
    await ben.send('server:open', { serverId });
    const rooms = await make('Rooms');
    const work = await make('Work');
    expect(rooms).to.include({ serverId, name: 'Rooms', position: 1 });
    expect(work).to.include({ position: 2 });
    const { changes } = await ben.hears(
      'changes',
      ({ room, to }) => room === serverRoom(serverId) && to === work.version,
    );
    expect(changes.at(-1)).to.deep.equal({
      type: 'category:created',
      version: work.version,
      category: work,
    });
    expect((await state(ben)).categories).to.deep.equal([rooms, work]);
    const { categories } = await ben.send('category:list', { serverId });
    expect(categories).to.deep.equal([rooms, work]);
  });

  it('asked for twenty times at once under one id are one category', async () => {
    const id = v7();
    const acks = await Promise.all(Array.from({ length: 20 }, () => make('Once', id)));
    expect(new Set(acks.map((category) => JSON.stringify(category))).size).to.equal(1);
    expect((await state()).categories).to.have.length(1);
  });

  it('do not take an id that is in use, here or in another server', async () => {
    const { server: other } = await ann.send('server:create', { name: 'Other' });
    const stored = await make('Stored', v7());
    for (const input of [
      { serverId, name: 'Another', id: stored.id },
      { serverId: other.id, name: 'Stored', id: stored.id },
    ])
      expect((await ann.fails('category:create', input)).code).to.equal('conflict');
    expect(await make('Stored', stored.id)).to.deep.equal(stored);
  });

  it('have names of 1 to 64 characters, when made, when renamed, and for raw SQL', async () => {
    const { id } = await make('🦔'.repeat(limits.categoryName));
    for (const name of ['x'.repeat(limits.categoryName + 1), '', ' ', 'a\u202eb']) {
      const wrong = { code: 'invalid', field: 'name' };
      expect(await ann.fails('category:create', { serverId, name })).to.include(wrong);
      expect(await ann.fails('category:update', { categoryId: id, name })).to.include(wrong);
    }
    for (const name of ['x'.repeat(65), ''])
      expect(
        await sql('update categories set name = $1 where id = $2', name, id).catch(String),
      ).to.match(/check/);
  });

  it('are limited in number, however many ask at once', async () => {
    await sql(
      `insert into categories (id, server_id, name, position, version)
       select gen_random_uuid(), $1, 'many', n, 1 from generate_series(1, $2) n`,
      serverId,
      limits.categoriesPerServer - 1,
    );
    const last = await Promise.allSettled(Array.from({ length: 5 }, (_, i) => make(`last ${i}`)));
    expect(last.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect((await ann.fails('category:create', { serverId, name: 'more' })).code).to.equal(
      'conflict',
    );
  });

  it('are renamed and moved; what is so already changes nothing', async () => {
    const [a, b, c] = [await make('a'), await make('b'), await make('c')] as [
      Category,
      Category,
      Category,
    ];
    const first = { categoryId: c.id, position: a.position };
    const { category } = await ann.send('category:update', { ...first, name: 'C' });
    expect(await categoryNames()).to.equal('C a b');
    expect(await ann.send('category:update', { ...first, name: 'C' })).to.deep.equal({ category });
    expect(await ann.send('category:update', { categoryId: c.id })).to.deep.equal({ category });
    await ann.send('category:update', { categoryId: c.id, position: b.position + 1 });
    expect(await categoryNames()).to.equal('a b C');
    expect((await ben.fails('category:update', first)).code).to.equal('forbidden');
    expect(await categoryNames()).to.equal('a b C');
  });

  describe('and channels', () => {
    let rooms: Category;
    let work: Category;
    let [one, two, three]: Channel[] = [];

    beforeEach(async () => {
      [rooms, work] = [await make('Rooms'), await make('Work')];
      [one, two, three] = [
        await channel('one', rooms.id),
        await channel('two', rooms.id),
        await channel('three', rooms.id),
      ];
    });

    it('made under one stand there, below the others', async () => {
      expect(one).to.include({ categoryId: rooms.id, position: 1 });
      expect(three).to.include({ categoryId: rooms.id, position: 3 });
      expect(await channel('top')).to.include({ categoryId: null, position: 2 });
      expect(await under(rooms.id)).to.equal('one two three');
    });

    it('go before whoever has the place that is asked for', async () => {
      await move({ channelId: three!.id, position: two!.position });
      expect(await under(rooms.id)).to.equal('one three two');
      await move({ channelId: one!.id, position: 99 });
      expect(await under(rooms.id)).to.equal('three two one');
      await move({ channelId: one!.id, position: -99 });
      expect(await under(rooms.id)).to.equal('one three two');
    });

    it('go to the end of another, or to the place there that is asked for, or to none', async () => {
      await move({ channelId: two!.id, categoryId: work.id });
      await move({ channelId: one!.id, categoryId: work.id });
      expect([await under(rooms.id), await under(work.id)]).to.deep.equal(['three', 'two one']);
      await move({ channelId: three!.id, categoryId: work.id, position: 1 });
      expect(await under(work.id)).to.equal('three two one');
      expect(await move({ channelId: two!.id, categoryId: null })).to.include({
        categoryId: null,
        position: 2,
      });
      expect(await under(null)).to.equal('general two');
    });

    it('may be moved and renamed at once, and are told once; what is so already changes nothing', async () => {
      await ben.send('server:open', { serverId });
      const to = { channelId: three!.id, categoryId: rooms.id, position: 1, name: '3' };
      const moved = await move(to);
      expect(moved).to.include({ name: '3', version: three!.version + 1 });
      for (const again of [to, { ...to, position: moved.position }])
        expect(await move(again)).to.deep.equal(moved);
      const last = await move({ channelId: one!.id, position: 9 });
      expect(last.version).to.equal(moved.version + 1);
      const { from, changes } = await ben.hears(
        'changes',
        ({ room, to }) => room === serverRoom(serverId) && to === moved.version,
      );
      expect([from, changes]).to.deep.equal([
        three!.version,
        [{ type: 'channel:updated', version: moved.version, channel: moved }],
      ]);
    });

    it('find room however often they are moved between the same two', async () => {
      const order = ['one', 'two', 'three'];
      for (let round = 0; round < 120; round += 1) {
        const { channels } = await state();
        const there = channels.filter(({ categoryId }) => categoryId === rooms.id);
        await move({ channelId: there[2]!.id, position: there[1]!.position });
        order.splice(1, 2, order[2]!, order[1]!);
        expect(await under(rooms.id)).to.equal(order.join(' '));
      }
      const [count] = await sql(
        'select count(distinct position) from channels where category_id = $1',
        rooms.id,
      );
      expect(count).to.deep.equal({ count: 3 });
    });

    it('stay when their category is deleted: in order, below those that have none', async () => {
      await channel('top');
      await ben.send('server:open', { serverId });
      expect((await ben.fails('category:delete', { categoryId: rooms.id })).code).to.equal(
        'forbidden',
      );
      await ann.send('category:delete', { categoryId: rooms.id });
      const { changes } = await ben.hears('changes', ({ changes }) =>
        changes.some(({ type }) => type === 'category:deleted'),
      );
      expect(changes.map(({ type }) => type)).to.deep.equal([
        'channel:updated',
        'channel:updated',
        'channel:updated',
        'category:deleted',
      ]);
      expect(await under(null)).to.equal('general top one two three');
      expect(await categoryNames()).to.equal('Work');
      for (const command of ['category:update', 'category:delete'] as const)
        expect((await ann.fails(command, { categoryId: rooms.id })).code).to.equal('not_found');
      await ben.send('message:send', { timelineId: two!.id, body: 'Still here' });
    });

    it('may have the default channel among them', async () => {
      await move({ channelId: defaultId, categoryId: work.id });
      await ann.send('category:delete', { categoryId: work.id });
      expect(await under(null)).to.equal('general');
      const [server] = (await state()).servers;
      expect(server?.defaultChannelId).to.equal(defaultId);
    });

    it('of one server never stand under a category of another, by no path', async () => {
      const { server: other } = await ann.send('server:create', { name: 'Other' });
      const cem = await app.person('Cem');
      const { server: foreign } = await cem.send('server:create', { name: 'Foreign' });
      const theirs = await cem.send('category:create', { serverId: foreign.id, name: 'Theirs' });
      const mine = await ann.send('category:create', { serverId: other.id, name: 'Mine' });
      for (const categoryId of [theirs.category.id, mine.category.id, v7(), one!.id, serverId]) {
        const failures = [
          await ann.fails('channel:update', { channelId: one!.id, categoryId }),
          await ann.fails('channel:update', { channelId: one!.id, categoryId, position: 1 }),
          await ann.fails('channel:create', { serverId, name: 'x', categoryId }),
        ];
        for (const failure of failures)
          expect(failure).to.include({
            code: 'not_found',
            message: 'This does not exist, or you may not see it.',
          });
        expect(
          await sql(
            'update channels set category_id = $1 where id = $2',
            categoryId,
            one!.id,
          ).catch(String),
        ).to.match(/category_of_its_server/);
      }
      expect(await under(rooms.id)).to.equal('one two three');
      expect(await sql('delete from categories where id = $1', rooms.id).catch(String)).to.match(
        /category_of_its_server/,
      );
      await ann.send('server:delete', { serverId: other.id });
      expect(await sql('select 1 from categories where server_id = $1', other.id)).to.deep.equal(
        [],
      );
    });

    it('that are private keep to themselves where they stand, when moved and when their category ends', async () => {
      const cem = await app.person('Cem');
      const { invite } = await ann.send('invite:create', { serverId });
      await cem.send('server:join', { code: invite.code });
      await cem.send('server:open', { serverId });
      const wanted = { serverId, name: 'secret', categoryId: rooms.id, private: true };
      const { channel: secret } = await ann.send('channel:create', {
        ...wanted,
        userIds: [ben.id],
      });
      expect(secret).to.include({ categoryId: rooms.id, position: 4 });
      await move({ channelId: secret.id, position: two!.position });
      await ben.hears('changes', ({ changes }) =>
        changes.some(
          (change) => change.type === 'privateChannel:updated' && change.channel.position === 1.5,
        ),
      );
      await ann.send('category:delete', { categoryId: rooms.id });
      const told = await ben.hears('changes', ({ changes }) =>
        changes.some(
          (change) =>
            change.type === 'privateChannel:updated' && change.channel.categoryId === null,
        ),
      );
      expect(told.changes).to.have.length(1);
      expect(await under(null)).to.equal('general one two three');
      const mine = (await ben.again()).ready;
      const [private_] = mine.status === 'snapshot' ? mine.state.privateChannels : [];
      expect(private_).to.include({ id: secret.id, categoryId: null, position: 3 });
      expect(JSON.stringify(cem.heard('changes'))).to.not.include(secret.id);
      const hidden = { channelId: secret.id, position: 1 };
      expect((await cem.fails('channel:update', hidden)).code).to.equal('not_found');
    });

    it('and an end of it that races with moves into it leaves none behind', async () => {
      for (let round = 0; round < 30; round += 1) {
        const brief = await make('brief');
        const outcomes = await Promise.allSettled([
          move({ channelId: one!.id, categoryId: brief.id }),
          ann.send('category:delete', { categoryId: brief.id }),
          move({ channelId: two!.id, categoryId: brief.id, position: 1 }),
          channel(`round ${round}`, brief.id),
          ann.send('channel:create', {
            ...{ serverId, name: `secret ${round}`, categoryId: brief.id },
            ...{ private: true, userIds: [ben.id] },
          }),
        ]);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected')
            expect((outcome.reason as { code: string }).code).to.equal('not_found');
        expect(outcomes[1].status).to.equal('fulfilled');
        const { categories, channels } = await state();
        const known = new Set<string | null>([null, ...categories.map(({ id }) => id)]);
        expect(channels.every(({ categoryId }) => known.has(categoryId))).to.equal(true);
      }
    });
  });
});
