import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';
import { connect } from '../../server/database/connect.ts';
import { listed } from './listed.ts';

describe('a large server', () => {
  let app: TestApp;
  let ann: Person;
  let people: Person[];
  let place: Awaited<ReturnType<typeof openPlace>>;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off', PARLEY_LARGE_SERVER: '3' });
    ann = await app.person('Ann');
    people = await Promise.all(Array.from({ length: 5 }, () => app.person()));
  });
  beforeEach(async () => {
    place = await openPlace(ann, ...people);
  });
  after(() => app.close());

  /** Runs `work` while the room of one member is locked, as that of a very busy person. */
  async function whileBusy<T>(person: Person, work: () => Promise<T>): Promise<T> {
    const sequelize = connect(app.where, 1);
    try {
      return await transaction({ sequelize }, async (db) => {
        await query(db, 'set local idle_in_transaction_session_timeout = 0');
        await query(db, 'select 1 from rooms where id = $1 for update', [person.id]);
        return work();
      });
    } finally {
      await sequelize.close();
    }
  }

  const received = () =>
    until(
      async () => (await query(app.db, 'select 1 as one from untold_servers limit 1')).length === 0,
    );

  it('is renamed at once, even while a member’s list is locked', async () => {
    const { serverId } = place;
    const [busy, other] = people as [Person, Person];
    const mirrors = people.map((person) => new Mirror(person));
    await whileBusy(busy, async () => {
      await ann.send('server:update', { serverId, name: 'Renamed' });
      await ann.send('server:update', { serverId, name: 'Renamed again' });
      const { server } = (await other.send('invite:get', { code: place.code })).invite;
      expect(server.name).to.equal('Renamed again');
      await other.send('message:send', { timelineId: place.channelId, body: 'Still here' });
    });
    await received();
    for (const mirror of mirrors) await mirror.becomesTrue();
    for (const person of people)
      await person.waitFor('changes', ({ room, changes }) =>
        changes.some(
          (change) =>
            room.startsWith('user:') &&
            change.type === 'server:updated' &&
            change.server.name === 'Renamed again',
        ),
      );
    await ann.send('server:delete', { serverId });
    await received();
  });

  it('is deleted at once, and former members have no access', async () => {
    const { serverId, code, channelId } = place;
    const [busy, other] = people as [Person, Person];
    const secret = { serverId, name: 'secret', private: true, userIds: [busy.id, other.id] };
    const { channel } = await ann.send('channel:create', secret);
    const mirrors = people.map((person) => new Mirror(person));
    await whileBusy(busy, async () => {
      await ann.send('server:delete', { serverId });
      for (const person of people) {
        expect(await listed(person)).to.not.include(serverId);
        for (const [command, input] of [
          ['server:open', { serverId }],
          ['member:list', { serverId }],
          ['server:join', { code }],
          ['channel:join', { channelId }],
          ['channel:join', { channelId: channel.id }],
        ] as const)
          expect((await person.expectError(command, input)).code).to.equal('not_found');
      }
      const stranger = await other.expectError('conversation:create', { userIds: [ann.id] });
      expect(stranger.code).to.equal('not_found');
      // The id stays taken, because the former members would be in the new server.
      const again = await ann.expectError('server:create', { name: 'Again', id: serverId });
      expect(again.code).to.equal('conflict');
    });
    await received();
    for (const mirror of mirrors) await mirror.becomesTrue();
    for (const person of [busy, other])
      for (const type of ['server:deleted', 'privateChannel:deleted'] as const)
        await person.waitFor('changes', ({ changes }) => changes.some((one) => one.type === type));
    for (const table of ['members', 'channel_members'])
      expect(
        await query(app.db, `select 1 from ${table} where server_id = $1`, [serverId]),
      ).to.deep.equal([]);
    const { server } = await ann.send('server:create', { name: 'Again', id: serverId });
    expect((await ann.send('member:list', { serverId: server.id })).members).to.have.length(1);
  });

  it('is left without locking the rooms of others, except in shared private channels', async () => {
    const { serverId } = place;
    const [busy, leaving] = people as [Person, Person];
    const secret = { serverId, name: 'secret', private: true, userIds: [busy.id] };
    await ann.send('channel:create', secret);
    await whileBusy(busy, () => leaving.send('server:leave', { serverId }));
    expect(await listed(leaving)).to.not.include(serverId);
  });
});
