import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import type { Failure } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Ban } from '../../shared/members.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';
import { openPlace } from '../support/place.ts';
import { codesOf, openServerWithRoles } from './server-with-roles.ts';

describe('members', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('banned', () => {
    const banned = async (mod: Person, serverId: string) =>
      (await mod.send('ban:list', { serverId })).bans.map(({ userId }) => userId);

    it('cannot come back, and get the same answer for an invite as for a missing one', async () => {
      const { ann, mod, ben, guest, code, targetOf, memberIds } = await openServerWithRoles(app);
      const { ban } = await mod.send('ban:create', targetOf(ben));
      expect(ban).to.include({ userId: ben.id, bannedBy: mod.id });
      const strip = ({ code, message }: Failure) => ({ code, message });
      for (const command of ['server:join', 'invite:get'] as const)
        expect(strip(await ben.expectError(command, { code }))).to.deep.equal(
          strip(await ben.expectError(command, { code: 'nosuchinvite' })),
        );
      await guest.send('invite:get', { code });
      expect(await memberIds()).to.not.include(ben.id);
      expect(await ann.send('ban:create', targetOf(ben))).to.deep.equal({ ban });
    });

    it('receive the end of their ban without its reason; removed members receive no ban', async () => {
      const { mod, ben, guest, serverId, targetOf } = await openServerWithRoles(app);
      const received = (person: Person) =>
        person.waitFor('changes', ({ changes }) =>
          changes.some(({ type }) => type === 'server:removed'),
        );
      const seconds = 3_600;
      const { ban } = await mod.send('ban:create', { ...targetOf(ben), seconds, reason: 'Spam' });
      await mod.send('member:remove', targetOf(guest));
      const [toBanned, toRemoved] = await Promise.all([received(ben), received(guest)]);
      expect(toBanned.changes).to.deep.include.members([
        { type: 'server:removed', version: toBanned.to, serverId, ban: { until: ban.until } },
      ]);
      expect(toRemoved.changes).to.deep.include.members([
        { type: 'server:removed', version: toRemoved.to, serverId },
      ]);
    });

    it('may be former members and people known from another server', async () => {
      const { mod, ben, serverId, code, targetOf } = await openServerWithRoles(app);
      const cem = await app.person();
      await ben.send('server:leave', { serverId });
      await openPlace(cem, mod);
      for (const person of [ben, cem]) {
        await mod.send('ban:create', targetOf(person));
        expect((await person.expectError('server:join', { code })).code).to.equal('not_found');
      }
      expect(await banned(mod, serverId)).to.deep.equal([cem.id, ben.id].sort());
    });

    it('are never strangers, so that an id alone reveals nobody', async () => {
      const { mod, serverId, targetOf } = await openServerWithRoles(app);
      const stranger = await app.person('A stranger');
      const strip = ({ code, message }: Failure) => ({ code, message });
      expect(strip(await mod.expectError('ban:create', targetOf(stranger)))).to.deep.equal(
        strip(await mod.expectError('ban:create', targetOf({ id: v7() }))),
      );
      expect((await mod.send('ban:list', { serverId })).people).to.not.have.property(stranger.id);
    });

    it('are listed and unbanned by those who manage bans', async () => {
      const { ann, mod, ben, guest, serverId, code, targetOf } = await openServerWithRoles(app);
      await mod.send('ban:create', targetOf(ben));
      const { bans, people } = await ann.send('ban:list', { serverId });
      expect(bans.map(({ userId }) => userId)).to.deep.equal([ben.id]);
      expect(people).to.have.all.keys(ben.id, mod.id);
      expect((await guest.expectError('ban:list', { serverId })).code).to.equal('forbidden');
      expect((await ben.expectError('ban:list', { serverId })).code).to.equal('not_found');
      expect((await guest.expectError('ban:delete', targetOf(ben))).code).to.equal('forbidden');
      await mod.send('ban:delete', targetOf(ben));
      expect((await mod.expectError('ban:delete', targetOf(ben))).code).to.equal('not_found');
      await ben.send('server:join', { code });
      expect(await banned(mod, serverId)).to.deep.equal([]);
    });

    it('have a reason that is shown to those who manage bans, and never to them', async () => {
      const { ann, mod, ben, guest, serverId, code, targetOf } = await openServerWithRoles(app);
      const { ban } = await mod.send('ban:create', {
        ...targetOf(ben),
        reason: '  ＳＰＡＭ in ①  ',
      });
      expect(ban).to.include({ reason: 'SPAM in 1', until: null });
      expect((await ann.send('ban:list', { serverId })).bans).to.deep.equal([ban]);
      const [entry] = (await ann.send('audit:list', { serverId, limit: 1 })).entries;
      expect(entry).to.include({ action: 'ban:created', userId: ben.id, detail: 'SPAM in 1' });
      await ben.waitFor('changes', ({ changes }) =>
        changes.some(({ type }) => type === 'server:removed'),
      );
      const received = ['changes', 'head', 'people', 'activity'] as const;
      const refused = [
        await ben.expectError('server:join', { code }),
        await ben.expectError('invite:get', { code }),
        await ben.expectError('ban:list', { serverId }),
      ];
      const all = JSON.stringify([...refused, ...received.map((event) => ben.received(event))]);
      expect(all).to.include(serverId).and.not.include('SPAM');
      const { ban: other } = await mod.send('ban:create', { ...targetOf(guest), reason: '  ' });
      expect(other).to.include({ reason: null, until: null });
      const [last] = (await ann.send('audit:list', { serverId, limit: 1 })).entries;
      expect(last).to.include({ action: 'ban:created', userId: guest.id, detail: null });
    });

    it('have a reason of 200 characters at most, and a ban of 30 days at most or for good', async () => {
      const { mod, ben, targetOf } = await openServerWithRoles(app);
      const wrong = {
        reason: [
          '😀'.repeat(limits.banReason + 1),
          '㈱'.repeat(100),
          'a\u202eb',
          'a\nb',
          'a\0',
          '\ud800',
        ],
        seconds: [0, -1, 0.5, limits.banSeconds + 1],
      };
      for (const [field, values] of Object.entries(wrong))
        for (const value of values)
          expect(
            await mod.expectError('ban:create', { ...targetOf(ben), [field]: value }),
          ).to.include({
            ...{ code: 'invalid', field },
          });
      const longest = { reason: '😀'.repeat(limits.banReason), seconds: limits.banSeconds };
      const { ban } = await mod.send('ban:create', { ...targetOf(ben), ...longest });
      expect(ban.reason).to.equal(longest.reason);
      expect(lengthOf(ban)).to.be.closeTo(limits.banSeconds, 5);
    });

    it('for a limited time are out until it ends; then an invite lets them in, and no ban is listed', async () => {
      const { ann, mod, ben, serverId, code, targetOf } = await openServerWithRoles(app);
      const { ban } = await mod.send('ban:create', {
        ...targetOf(ben),
        seconds: 3_600,
        reason: 'Spam',
      });
      expect(lengthOf(ban)).to.be.closeTo(3_600, 5);
      // A second request returns the same ban, even with other details.
      expect(await ann.send('ban:create', { ...targetOf(ben), seconds: 60 })).to.deep.equal({
        ban,
      });
      expect((await ben.expectError('server:join', { code })).code).to.equal('not_found');
      expect((await ben.expectError('invite:get', { code })).code).to.equal('not_found');
      await endBan(ben.id);
      expect(await banned(mod, serverId)).to.deep.equal([]);
      expect((await mod.expectError('ban:delete', targetOf(ben))).code).to.equal('not_found');
      await ben.send('invite:get', { code });
      await ben.send('server:join', { code });
      // A ban that has ended does not prevent a new one, which inherits nothing from it.
      const { ban: next } = await ann.send('ban:create', targetOf(ben));
      expect(next).to.include({ bannedBy: ann.id, reason: null, until: null });
      expect(Date.parse(next.createdAt)).to.be.greaterThan(Date.parse(ban.createdAt));
      expect((await ben.expectError('server:join', { code })).code).to.equal('not_found');
    });

    it('for a limited time are strangers again afterwards if they were never members', async () => {
      const { mod, targetOf } = await openServerWithRoles(app);
      const cem = await app.person();
      const elsewhere = await openPlace(cem, mod);
      const { ban } = await mod.send('ban:create', { ...targetOf(cem), seconds: 60 });
      await cem.send('server:delete', { serverId: elsewhere.serverId });
      expect(await mod.send('ban:create', targetOf(cem))).to.deep.equal({ ban });
      await endBan(cem.id);
      expect((await mod.expectError('ban:create', targetOf(cem))).code).to.equal('not_found');
    });

    it('for a limited time are swept when it ends, with an audit entry, and no others are', async () => {
      const { ann, mod, ben, guest, serverId, targetOf } = await openServerWithRoles(app);
      await mod.send('ban:create', { ...targetOf(ben), seconds: 60 });
      await mod.send('ban:create', { ...targetOf(guest), seconds: 60 });
      await endBan(ben.id);
      app.pass(60_000);
      await until(async () => (await rowsOf(serverId)).length === 1);
      expect(await rowsOf(serverId)).to.deep.equal([guest.id]);
      expect(await banned(mod, serverId)).to.deep.equal([guest.id]);
      const { entries } = await ann.send('audit:list', { serverId });
      const ends = entries.filter(({ action }) => action === 'ban:ended');
      expect(ends).to.have.length(1);
      expect(ends[0]).to.include({ actorId: null, userId: ben.id, detail: null });
    });

    const lengthOf = ({ createdAt, until }: Ban) =>
      (Date.parse(until ?? '') - Date.parse(createdAt)) / 1_000;

    /** Ends the ban in the database, because its time goes by the database's clock, which a test cannot move. */
    const endBan = (userId: string) =>
      query(app.db, 'update bans set until = now() where user_id = $1', [userId]);

    const rowsOf = async (serverId: string) =>
      (
        await query<{ id: string }>(app.db, 'select user_id as id from bans where server_id = $1', [
          serverId,
        ])
      ).map(({ id }) => id);

    it('while they join are out, regardless of the order', async () => {
      const { ann, mod, code, targetOf, memberIds } = await openServerWithRoles(app);
      const elsewhere = await openPlace(ann, mod);
      for (let round = 0; round < 30; round += 1) {
        const cem = await app.guest();
        await cem.send('server:join', { code: elsewhere.code });
        const codes = codesOf(
          await Promise.allSettled([
            cem.send('server:join', { code }),
            mod.send('ban:create', targetOf(cem)),
          ]),
        );
        expect(codes[0]).to.be.oneOf(['done', 'not_found']);
        expect(codes[1]).to.equal('done');
        expect(await memberIds()).to.not.include(cem.id);
        cem.close();
      }
    });
  });
});
