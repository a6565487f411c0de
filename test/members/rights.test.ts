import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { until } from '../support/time.ts';
import { codesOf, openServerWithRoles } from './server-with-roles.ts';

describe('members', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  it('lose a right at the moment it is revoked, and nothing uses it afterwards', async () => {
    const { ann, ben, serverId, targetOf } = await openServerWithRoles(app);
    for (let round = 0; round < 5; round += 1) {
      await ann.send('member:update', { ...targetOf(ben), role: 'moderator' });
      const create = (_: unknown, i: number) =>
        ben.send('channel:create', { serverId, name: `${round} ${i}` });
      const before = Array.from({ length: 10 }, create);
      const demoted = ann.send('member:update', { ...targetOf(ben), role: 'member' });
      const after = Array.from({ length: 10 }, create);
      const outcomes = await Promise.allSettled([...before, ...after]);
      expect(codesOf(outcomes)).to.satisfy((codes: string[]) =>
        codes.every((one) => one === 'done' || one === 'forbidden'),
      );
      const { version } = (await demoted).member;
      for (const outcome of outcomes)
        if (outcome.status === 'fulfilled')
          expect(outcome.value.channel.version).to.be.below(version);
    }
  });

  describe('commands that use a right and commands that end it', () => {
    /** True when a transaction waits for the lock of a right, according to PostgreSQL. */
    const isBlocked = async () => {
      const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      return (await query(app.db, waiting)).length > 0;
    };

    /** Runs `act` while another transaction holds the shared lock that writing a message takes. */
    async function whileSomebodyWrites(
      serverId: string,
      act: () => Promise<unknown>,
    ): Promise<'waited' | 'went on'> {
      const { sequelize } = app.db;
      const writing = await sequelize.transaction();
      await sequelize.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', {
        bind: [serverId],
        transaction: writing,
      });
      const seen = { first: undefined as 'waited' | 'went on' | undefined };
      const done = act().then(() => (seen.first ??= 'went on'));
      await until(async () => {
        if (await isBlocked()) seen.first ??= 'waited';
        return seen.first !== undefined;
      });
      await writing.commit();
      await done;
      return seen.first ?? 'went on';
    }

    it('wait for each other', async () => {
      const { ann, mod, ben, guest, serverId, channelId, targetOf } =
        await openServerWithRoles(app);
      const other = (await ann.send('channel:create', { serverId, name: 'other' })).channel;
      const { role } = await ann.send('role:create', { serverId, name: 'Helper' });
      const roleId = role.id;
      await ann.send('server:transfer', { serverId, userId: mod.id });
      const ending: (() => Promise<unknown>)[] = [
        () => ann.send('server:update', { serverId, defaultChannelId: other.id }),
        () => ann.send('channel:update', { channelId, senderRoleIds: [] }),
        () => ann.send('channel:delete', { channelId }),
        () => ann.send('role:give', { ...targetOf(ben), roleId }),
        () => ann.send('role:take', { ...targetOf(ben), roleId }),
        () => ann.send('role:update', { serverId, roleId, permissions: [] }),
        () => ann.send('role:delete', { serverId, roleId }),
        () => guest.send('server:leave', { serverId }),
        () => mod.send('member:remove', targetOf(ben)),
        () => mod.send('ban:create', targetOf(guest)),
        () => mod.send('server:acceptTransfer', { serverId }),
        () => mod.send('member:update', { ...targetOf(ann), role: 'member' }),
        () => mod.send('server:delete', { serverId }),
      ];
      for (const [i, act] of ending.entries())
        expect(await whileSomebodyWrites(serverId, act), `${i}`).to.equal('waited');
    });

    it('do not wait for each other when both only use one', async () => {
      const { ann, ben, serverId, channelId, code, targetOf } = await openServerWithRoles(app);
      const cem = await app.person();
      const { role } = await ann.send('role:create', { serverId, name: 'Helper' });
      const roleId = role.id;
      const relying: (() => Promise<unknown>)[] = [
        () => ann.send('channel:update', { channelId, topic: 'News' }),
        () => ann.send('channel:create', { serverId, name: 'other' }),
        () => ann.send('role:update', { serverId, roleId, color: 'red' }),
        () => ben.send('invite:create', { serverId }),
        () => ann.send('server:transfer', { serverId, userId: ben.id }),
        () => ben.send('server:declineTransfer', { serverId }),
        () => ben.send('member:update', { ...targetOf(ben), nickname: 'Benny' }),
        () => cem.send('server:join', { code }),
      ];
      for (const [i, act] of relying.entries())
        expect(await whileSomebodyWrites(serverId, act), `${i}`).to.equal('went on');
    });
  });
});
