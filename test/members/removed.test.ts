import { expect } from 'chai';
import { v7 } from 'uuid';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { settled } from '../support/place.ts';
import { codesOf, openServerWithRoles } from './server-with-roles.ts';

describe('members', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('their removal', () => {
    const socketsIn = (room: string) => [...(app.node.io.of('/').adapter.rooms.get(room) ?? [])];

    for (const command of ['member:remove', 'ban:create'] as const) {
      it(`requires a higher role: ${command}`, async () => {
        const { ann, mod, ben, guest, targetOf, memberIds } = await openServerWithRoles(app);
        const cases: [Person, Person, 'forbidden' | 'conflict'][] = [
          [ben, guest, 'forbidden'],
          [ben, mod, 'forbidden'],
          [guest, ben, 'forbidden'],
          [mod, ann, 'forbidden'],
          [mod, mod, 'conflict'],
          [ann, ann, 'conflict'],
        ];
        for (const [who, on, code] of cases)
          expect((await who.expectError(command, targetOf(on))).code).to.equal(code);
        expect((await ann.expectError(command, targetOf({ id: v7() }))).code).to.equal('not_found');
        await mod.send(command, targetOf(ben));
        await ann.send(command, targetOf(mod));
        expect(await memberIds()).to.have.members([ann.id, guest.id]);
      });

      it(`closes their rooms on all devices, and sends them only the removal: ${command}`, async () => {
        const { ann, ben, guest, serverId, channelId, targetOf } = await openServerWithRoles(app);
        const tab = await ben.newTab();
        for (const socket of [ben, tab]) {
          await socket.send('server:open', { serverId });
          await socket.send('channel:join', { channelId });
        }
        await guest.send('server:open', { serverId });
        await ann.send(command, targetOf(ben));
        const late = await ann.send('message:send', { timelineId: channelId, body: 'Without Ben' });
        await ann.send('channel:create', { serverId, name: 'secret' });
        for (const socket of [ben, tab]) {
          for (const room of [serverRoom(serverId), timelineRoom(channelId)])
            await socket.waitFor('head', (head) => head.room === room && head.version === null);
          await socket.waitFor('changes', ({ changes }) =>
            changes.some(
              (change) => change.type === 'server:removed' && change.serverId === serverId,
            ),
          );
          await settled(socket);
          const received = JSON.stringify(socket.received('changes'));
          expect(received).to.not.include(late.message.id).and.not.include('secret');
        }
        await guest.waitFor(
          'changes',
          ({ room, changes }) =>
            room === serverRoom(serverId) &&
            changes.some((change) => change.type === 'member:removed' && change.userId === ben.id),
        );
        expect((await ben.expectError('server:open', { serverId })).code).to.equal('not_found');
        expect((await ben.expectError('message:list', { timelineId: channelId })).code).to.equal(
          'not_found',
        );
        tab.close();
      });
    }

    it('excludes them while they write and enter rooms, regardless of the order', async () => {
      const { ann, ben, serverId, channelId, code, targetOf, memberIds } =
        await openServerWithRoles(app);
      for (let round = 0; round < 20; round += 1) {
        await ben.send('server:join', { code });
        const outcomes = Promise.allSettled([
          ben.send('channel:join', { channelId }),
          ben.send('message:send', { timelineId: channelId, body: 'one' }),
          ben.send('server:open', { serverId }),
          ann.send('member:remove', targetOf(ben)),
          ben.send('channel:join', { channelId }),
          ben.send('message:send', { timelineId: channelId, body: 'two' }),
          ben.send('server:open', { serverId }),
        ]);
        const codes = codesOf(await outcomes);
        expect(
          codes.every((one) => one === 'done' || one === 'not_found'),
          codes.join(),
        ).to.equal(true);
        const inside = [serverRoom(serverId), timelineRoom(channelId)].flatMap(socketsIn);
        expect(inside).to.not.include(ben.socket.id);
        expect(await memberIds()).to.not.include(ben.id);
      }
    });

    it('succeeds once when two people remove a member who leaves at the same time', async () => {
      const { ann, mod, ben, guest, serverId, targetOf } = await openServerWithRoles(app);
      await ben.send('server:open', { serverId });
      const codes = codesOf(
        await Promise.allSettled([
          ann.send('member:remove', targetOf(guest)),
          mod.send('member:remove', targetOf(guest)),
          guest.send('server:leave', { serverId }),
        ]),
      );
      expect(codes.filter((one) => one === 'done')).to.have.length(1);
      expect(codes.filter((one) => one === 'not_found')).to.have.length(2);
    });

    it('can be followed by a return with an invite', async () => {
      const { ann, ben, code, targetOf, memberIds } = await openServerWithRoles(app);
      await ann.send('member:remove', targetOf(ben));
      await ben.send('server:join', { code });
      expect(await memberIds()).to.include(ben.id);
    });
  });
});
