/** Those who are put out of a server, and may not come back. */
import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Failure } from '../../shared/failure.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { codesOf, peopled } from './peopled.ts';

describe('members', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('banned', () => {
    const banned = async (mod: Person, serverId: string) =>
      (await mod.send('ban:list', { serverId })).bans.map(({ userId }) => userId);

    it('do not come back, and to them an invite looks like none', async () => {
      const { ann, mod, ben, guest, code, whom, memberIds } = await peopled(app);
      const { ban } = await mod.send('ban:create', whom(ben));
      expect(ban).to.include({ userId: ben.id, bannedBy: mod.id });
      const strip = ({ code, message }: Failure) => ({ code, message });
      for (const command of ['server:join', 'invite:get'] as const)
        expect(strip(await ben.fails(command, { code }))).to.deep.equal(
          strip(await ben.fails(command, { code: 'nosuchinvite' })),
        );
      await guest.send('invite:get', { code });
      expect(await memberIds()).to.not.include(ben.id);
      // Once more is the same ban.
      expect(await ann.send('ban:create', whom(ben))).to.deep.equal({ ban });
    });

    it('may be those who left, and those whom one knows from elsewhere', async () => {
      const { mod, ben, serverId, code, whom } = await peopled(app);
      const cem = await app.person();
      await ben.send('server:leave', { serverId });
      await openPlace(cem, mod);
      for (const person of [ben, cem]) {
        await mod.send('ban:create', whom(person));
        expect((await person.fails('server:join', { code })).code).to.equal('not_found');
      }
      expect(await banned(mod, serverId)).to.deep.equal([cem.id, ben.id].sort());
    });

    it('are never strangers: who they are is told to nobody by their id', async () => {
      const { mod, serverId, whom } = await peopled(app);
      const stranger = await app.person('A stranger');
      const strip = ({ code, message }: Failure) => ({ code, message });
      expect(strip(await mod.fails('ban:create', whom(stranger)))).to.deep.equal(
        strip(await mod.fails('ban:create', whom({ id: v7() }))),
      );
      expect((await mod.send('ban:list', { serverId })).people).to.not.have.property(stranger.id);
    });

    it('are listed and let in again by those who keep order', async () => {
      const { ann, mod, ben, guest, serverId, code, whom } = await peopled(app);
      await mod.send('ban:create', whom(ben));
      const { bans, people } = await ann.send('ban:list', { serverId });
      expect(bans.map(({ userId }) => userId)).to.deep.equal([ben.id]);
      expect(people).to.have.all.keys(ben.id, mod.id);
      expect((await guest.fails('ban:list', { serverId })).code).to.equal('forbidden');
      expect((await ben.fails('ban:list', { serverId })).code).to.equal('not_found');
      expect((await guest.fails('ban:delete', whom(ben))).code).to.equal('forbidden');
      await mod.send('ban:delete', whom(ben));
      expect((await mod.fails('ban:delete', whom(ben))).code).to.equal('not_found');
      await ben.send('server:join', { code });
      expect(await banned(mod, serverId)).to.deep.equal([]);
    });

    it('while they join are out, whichever was first', async () => {
      const { ann, mod, code, whom, memberIds } = await peopled(app);
      const elsewhere = await openPlace(ann, mod);
      for (let round = 0; round < 30; round += 1) {
        const cem = await app.guest();
        await cem.send('server:join', { code: elsewhere.code });
        const codes = codesOf(
          await Promise.allSettled([
            cem.send('server:join', { code }),
            mod.send('ban:create', whom(cem)),
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
