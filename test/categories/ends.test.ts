import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { furnishWithChannels } from './furnished.ts';

describe('categories', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('their channels', () => {
    it('stay in order, below those without a category, when theirs is deleted', async () => {
      const { ann, ben, serverId, channel, categoryNames, under, rooms, two } =
        await furnishWithChannels(app);
      await channel('top');
      await ben.send('server:open', { serverId });
      expect((await ben.expectError('category:delete', { categoryId: rooms.id })).code).to.equal(
        'forbidden',
      );
      await ann.send('category:delete', { categoryId: rooms.id });
      const { changes } = await ben.waitFor('changes', ({ changes }) =>
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
        expect((await ann.expectError(command, { categoryId: rooms.id })).code).to.equal(
          'not_found',
        );
      await ben.send('message:send', { timelineId: two.id, body: 'Still here' });
    });

    it('may include the default channel', async () => {
      const { ann, defaultId, state, under, move, work } = await furnishWithChannels(app);
      await move({ channelId: defaultId, categoryId: work.id });
      await ann.send('category:delete', { categoryId: work.id });
      expect(await under(null)).to.equal('general');
      const [server] = (await state()).servers;
      expect(server?.defaultChannelId).to.equal(defaultId);
    });

    it('keep a private one hidden when it is moved and when its category is deleted', async () => {
      const { ann, ben, serverId, under, move, rooms, two } = await furnishWithChannels(app);
      const cem = await app.person('Cem');
      const { invite } = await ann.send('invite:create', { serverId });
      await cem.send('server:join', { code: invite.code });
      await cem.send('server:open', { serverId });
      const wanted = { serverId, name: 'secret', categoryId: rooms.id, private: true };
      const { channel: secret } = await ann.send('channel:create', {
        ...wanted,
        userIds: [ben.id],
      });
      expect(secret).to.include({ categoryId: rooms.id, position: 3.5 });
      await move({ channelId: secret.id, position: two.position });
      await ben.waitFor('changes', ({ changes }) =>
        changes.some(
          (change) => change.type === 'privateChannel:updated' && change.channel.position === 1.5,
        ),
      );
      await ann.send('category:delete', { categoryId: rooms.id });
      const received = await ben.waitFor('changes', ({ changes }) =>
        changes.some(
          (change) =>
            change.type === 'privateChannel:updated' && change.channel.categoryId === null,
        ),
      );
      expect(received.changes).to.have.length(1);
      expect(await under(null)).to.equal('general one two three');
      const mine = (await ben.newTab()).ready;
      const [private_] = mine.status === 'snapshot' ? mine.state.privateChannels : [];
      expect(private_).to.include({ id: secret.id, categoryId: null, position: 2.5 });
      expect(JSON.stringify(cem.received('changes'))).to.not.include(secret.id);
      const hidden = { channelId: secret.id, position: 1 };
      expect((await cem.expectError('channel:update', hidden)).code).to.equal('not_found');
    });

    it('are never left in a category that is deleted while they are moved into it', async () => {
      const { ann, ben, serverId, make, channel, state, move, one, two } =
        await furnishWithChannels(app);
      for (let round = 0; round < 30; round += 1) {
        const brief = await make('brief');
        const outcomes = await Promise.allSettled([
          move({ channelId: one.id, categoryId: brief.id }),
          ann.send('category:delete', { categoryId: brief.id }),
          move({ channelId: two.id, categoryId: brief.id, position: 1 }),
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
