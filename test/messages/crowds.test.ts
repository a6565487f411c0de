import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { updateNextMemberLists } from '../../server/members/lists.ts';
import type { Publication } from '../../server/realtime/publish.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { startPatientApp, type TestApp } from '../support/app.ts';
import { addSilentMembers, fillPrivates } from '../support/crowd.ts';
import { withTableLock } from '../support/table-lock.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { countStatements } from '../support/statements.ts';
import { listPrivateChannels } from '../privates/secret.ts';

describe('changes that concern many people', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let channelId: string;
  let elsewhere: string;

  beforeEach(async () => {
    app = await startPatientApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    ({ serverId, channelId } = await openPlace(ann, ben));
    ({ channelId: elsewhere } = await openPlace(ben));
    // Stops background work: the tests run each of its slices themselves.
    app.node.draining = true;
  });
  afterEach(() => app.close());

  const benWrites = (timelineId: string) =>
    ben.send('message:send', { timelineId, body: 'Not held up' });

  async function publishedBy(work: () => Promise<unknown>): Promise<Publication[]> {
    const { fanout } = app.node;
    const publish = fanout.publish.bind(fanout);
    const published: Publication[] = [];
    fanout.publish = (publication) => {
      published.push(publication);
      publish(publication);
    };
    await work().finally(() => (fanout.publish = publish));
    return published;
  }

  describe('a server of 30,000 members', () => {
    const slice = 300;

    beforeEach(async () => {
      await addSilentMembers(app, serverId, 30_000);
      await query(app.db, 'update servers set large = true where id = $1', [serverId]);
      // Holds the clock, so that no periodic work of the node is counted.
      app.hold();
    });

    /** Notifies the next slice of members. While it waits for a lock, others can write. */
    async function updateNextList(canBeWritten: string[]): Promise<void> {
      const { updating } = await withTableLock(app.where, 'members', 'share', async (blocked) => {
        const updating = updateNextMemberLists(app, slice);
        await blocked();
        for (const timelineId of canBeWritten) await benWrites(timelineId);
        return { updating };
      });
      expect(await updating).to.equal(true);
      let sent: string[] = [];
      const published = await publishedBy(async () => {
        sent = await countStatements(() => updateNextMemberLists(app, slice));
      });
      expect(sent).to.have.length.below(30);
      expect(published.flatMap(({ envelopes }) => envelopes)).to.have.length(slice);
    }

    it('delays nobody else when it is renamed, and informs its members a few at a time', async () => {
      const sent = await countStatements(async () => {
        const published = await publishedBy(() =>
          ann.send('server:update', { serverId, name: 'Renamed' }),
        );
        expect(published.flatMap(({ envelopes }) => envelopes.map(({ room }) => room)))
          .to.deep //
          .equal([serverRoom(serverId)]);
      });
      expect(sent).to.have.length.below(40);
      await updateNextList([elsewhere, channelId]);
    });

    it('delays nobody else when it is deleted', async () => {
      const { deleting } = await withTableLock(app.where, 'channels', 'share', async (blocked) => {
        const deleting = ann.send('server:delete', { serverId });
        await blocked();
        await benWrites(elsewhere);
        return { deleting };
      });
      await deleting;
      expect(
        await ben.expectError('message:send', { timelineId: channelId, body: 'Late' }),
      ).to.include({
        code: 'not_found',
      });
      await updateNextList([elsewhere]);
    });
  });

  describe('a category with 100 private channels of 200 people', () => {
    let categoryId: string;
    /** Mirrors of a member of all these channels and of a member of the first one only. */
    let mirrors: Mirror[];

    beforeEach(async () => {
      await addSilentMembers(app, serverId, 300);
      categoryId = (await ann.send('category:create', { serverId, name: 'Secrets' })).category.id;
      await fillPrivates(app, { serverId, categoryId }, { many: 100, members: 200 });
      await query(
        app.db,
        `insert into channel_members (channel_id, server_id, user_id, user_version)
         select id, server_id, $2, 1 from channels where category_id = $1 and name = 'p1'
         on conflict do nothing`,
        [categoryId, ben.id],
      );
      app.node.draining = false;
      ann = await ann.newTab();
      ben = await ben.newTab();
      mirrors = [new Mirror(ann), new Mirror(ben)];
      for (const mirror of mirrors) await mirror.open(serverRoom(serverId));
    });

    const expectBounded = (published: Publication[]) => {
      for (const one of published) expect(JSON.stringify(one).length).to.be.below(13_000_000);
    };

    it('is deleted with bounded work, and others do not wait for it', async () => {
      let sent: string[] = [];
      const published = await publishedBy(async () => {
        sent = await countStatements(async () => {
          const { ending } = await withTableLock(
            app.where,
            'channels',
            'share',
            async (blocked) => {
              const ending = ann.send('category:delete', { categoryId });
              await blocked();
              await benWrites(elsewhere);
              return { ending };
            },
          );
          await ending;
        });
      });
      const ofChannels = sent.filter((statement) => /\bchannel/.test(statement));
      expect(ofChannels.length).to.be.within(5, 25);
      expectBounded(published);
      // Members of the channels, and nobody else, see them at their new place.
      for (const mirror of mirrors) await mirror.becomesTrue();
      for (const person of [ann, ben]) {
        const channels = await listPrivateChannels(person);
        expect(channels.length).to.be.above(0);
        for (const channel of channels) {
          expect(channel.categoryId).to.equal(null);
          expect(channel.memberIds).to.include(person.id);
        }
      }
    });

    it('lets a member of all its channels leave the server with a few statements', async () => {
      await query(
        app.db,
        `insert into channel_members (channel_id, server_id, user_id, user_version)
         select id, server_id, $2, 1 from channels where category_id = $1 on conflict do nothing`,
        [categoryId, ben.id],
      );
      let sent: string[] = [];
      const published = await publishedBy(async () => {
        sent = await countStatements(() => ben.send('server:leave', { serverId }));
      });
      expect(sent.filter((statement) => /\bchannel/.test(statement)).length).to.be.within(3, 25);
      expectBounded(published);
      for (const mirror of mirrors) await mirror.becomesTrue();
      expect(await listPrivateChannels(ben)).to.be.empty;
      const channels = await listPrivateChannels(ann);
      expect(channels.length).to.be.above(0);
      for (const { memberIds } of channels) expect(memberIds).not.to.include(ben.id);
    });

    it('ends for the members of its channels when the server is deleted, with bounded work', async () => {
      const channels = await listPrivateChannels(ann);
      expectBounded(await publishedBy(() => ann.send('server:delete', { serverId })));
      for (const mirror of mirrors) await mirror.becomesTrue();
      expect(await listPrivateChannels(ben)).to.be.empty;
      for (const { id } of channels.slice(0, 3))
        expect((await ben.expectError('channel:join', { channelId: id })).code).to.equal(
          'not_found',
        );
    });
  });
});
