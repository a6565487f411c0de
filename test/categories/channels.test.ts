import { expect } from 'chai';
import { v7 } from 'uuid';
import { byPlace } from '../../shared/order.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { furnishWithChannels, sql } from './furnished.ts';

describe('categories', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('their channels', () => {
    it('are added below the others of their category', async () => {
      const { channel, under, rooms, one, three } = await furnishWithChannels(app);
      expect(one).to.include({ categoryId: rooms.id, position: 1 });
      expect(three).to.include({ categoryId: rooms.id, position: 3 });
      expect(await channel('top')).to.include({ categoryId: null, position: 2 });
      expect(await under(rooms.id)).to.equal('one two three');
    });

    it('are moved before the channel at the requested position', async () => {
      const { under, move, rooms, one, two, three } = await furnishWithChannels(app);
      await move({ channelId: three.id, position: two.position });
      expect(await under(rooms.id)).to.equal('one three two');
      await move({ channelId: one.id, position: 99 });
      expect(await under(rooms.id)).to.equal('three two one');
      await move({ channelId: one.id, position: -99 });
      expect(await under(rooms.id)).to.equal('one three two');
    });

    it('are moved to the end of another category, to a requested position there, or out of all', async () => {
      const { under, move, rooms, work, one, two, three } = await furnishWithChannels(app);
      await move({ channelId: two.id, categoryId: work.id });
      await move({ channelId: one.id, categoryId: work.id });
      expect([await under(rooms.id), await under(work.id)]).to.deep.equal(['three', 'two one']);
      await move({ channelId: three.id, categoryId: work.id, position: 1 });
      expect(await under(work.id)).to.equal('three two one');
      expect(await move({ channelId: two.id, categoryId: null })).to.include({
        categoryId: null,
        position: 2,
      });
      expect(await under(null)).to.equal('general two');
    });

    it('can be moved and renamed in one commit, sent once; setting the current values changes nothing', async () => {
      const { ben, serverId, move, rooms, one, three } = await furnishWithChannels(app);
      await ben.send('server:open', { serverId });
      const to = { channelId: three.id, categoryId: rooms.id, position: 1, name: '3' };
      const moved = await move(to);
      expect(moved).to.include({ name: '3', position: 1, version: three.version + 3 });
      for (const again of [to, { ...to, position: moved.position }])
        expect(await move(again)).to.deep.equal(moved);
      const last = await move({ channelId: one.id, position: 9 });
      expect(last).to.include({ position: 3, version: moved.version + 2 });
      const { from, changes } = await ben.waitFor(
        'changes',
        ({ room, to }) => room === serverRoom(serverId) && to === moved.version,
      );
      expect(from).to.equal(three.version);
      expect(
        changes.map(
          (change) => 'channel' in change && [change.channel.name, change.channel.position],
        ),
      ).to.deep.equal([
        ['one', 2],
        ['two', 3],
        ['3', 1],
      ]);
      expect(changes.at(-1)).to.deep.include({ version: moved.version, channel: moved });
    });

    it('keep distinct positions however often they are moved between the same two', async () => {
      const { state, under, move, rooms } = await furnishWithChannels(app);
      const order = ['one', 'two', 'three'];
      for (let round = 0; round < 120; round += 1) {
        const { channels } = await state();
        const there = channels
          .filter(({ categoryId }) => categoryId === rooms.id)
          .toSorted(byPlace);
        await move({ channelId: there[2]!.id, position: there[1]!.position });
        order.splice(1, 2, order[2]!, order[1]!);
        expect(await under(rooms.id)).to.equal(order.join(' '));
      }
      const [count] = await sql(
        app,
        'select count(distinct position) from channels where category_id = $1',
        rooms.id,
      );
      expect(count).to.deep.equal({ count: 3 });
    });

    it('cannot be put under a category of another server, not even by raw SQL', async () => {
      const { ann, serverId, under, rooms, one } = await furnishWithChannels(app);
      const { server: other } = await ann.send('server:create', { name: 'Other' });
      const cem = await app.person('Cem');
      const { server: foreign } = await cem.send('server:create', { name: 'Foreign' });
      const theirs = await cem.send('category:create', { serverId: foreign.id, name: 'Theirs' });
      const mine = await ann.send('category:create', { serverId: other.id, name: 'Mine' });
      for (const categoryId of [theirs.category.id, mine.category.id, v7(), one.id, serverId]) {
        const failures = [
          await ann.expectError('channel:update', { channelId: one.id, categoryId }),
          await ann.expectError('channel:update', { channelId: one.id, categoryId, position: 1 }),
          await ann.expectError('channel:create', { serverId, name: 'x', categoryId }),
        ];
        for (const failure of failures)
          expect(failure).to.include({
            code: 'not_found',
            message: 'This doesn’t exist, or you don’t have access to it.',
          });
        expect(
          await sql(
            app,
            'update channels set category_id = $1 where id = $2',
            categoryId,
            one.id,
          ).catch(String),
        ).to.match(/category_of_its_server/);
      }
      expect(await under(rooms.id)).to.equal('one two three');
      expect(
        await sql(app, 'delete from categories where id = $1', rooms.id).catch(String),
      ).to.match(/category_of_its_server/);
      await ann.send('server:delete', { serverId: other.id });
      expect(
        await sql(app, 'select 1 from categories where server_id = $1', other.id),
      ).to.deep.equal([]);
    });
  });
});
