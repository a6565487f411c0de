/** A permission granted by a custom role has no effect after the command that revokes it is answered. */
import { expect } from 'chai';
import type { Grantable } from '../../shared/permissions.ts';
import type { Input } from '../../shared/protocol.ts';
import { atLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { describeTopologies } from '../support/topologies.ts';

/** Deletes the role of a round, because a member can have only 10. The round may have deleted it already. */
async function deleteRole(owner: Person, role: Input<'role:delete'>): Promise<void> {
  const result = await owner.ask('role:delete', role);
  if (!result.ok) expect(result.error.code).to.equal('not_found');
}

describeTopologies('a permission of a custom role', (topology) => {
  it('has no effect on either node after the command that revokes it is answered', async () => {
    const [ann, ben] = [await topology().person('Ann'), await topology().person('Ben')];
    const cem = await topology().person('Cem');
    const devices = [ben, await topology().elsewhere(ben)];
    const { serverId, channelId: timelineId } = await openPlace(ann, ben, cem);
    await ann.send('channel:update', { channelId: timelineId, announcements: true });
    const { category } = await ann.send('category:create', { serverId, name: 'Rooms' });
    const ends = [
      (to: { serverId: string; roleId: string }) =>
        ann.send('role:take', { ...to, userId: ben.id }),
      (to: { serverId: string; roleId: string }) =>
        ann.send('role:update', { ...to, permissions: [] }),
      (to: { serverId: string; roleId: string }) => ann.send('role:delete', to),
    ];
    const outcomes = new Set<string>();
    for (let round = 0; round < atLength(6, 30); round += 1) {
      const permissions: Grantable[] = ['send', 'manage channels', 'manage members'];
      const { role } = await ann.send('role:create', { serverId, name: `r${round}`, permissions });
      const to = { serverId, roleId: role.id };
      await ann.send('role:give', { ...to, userId: ben.id });
      let isAnswered = false;
      const use = async (person: Person) => {
        for (let i = 0; !isAnswered; i += 1) {
          const name = `${round} ${i}`;
          const asked = {
            send: person.ask('message:send', { timelineId, body: name }),
            update: person.ask('category:update', { categoryId: category.id, name }),
            rename: person.ask('member:update', { serverId, userId: cem.id, nickname: name }),
          };
          for (const [what, asking] of Object.entries(asked)) {
            const result = await asking;
            outcomes.add(`${what} ${result.ok ? 'allowed' : 'refused'}`);
            if (!result.ok) expect(result.error.code).to.equal('forbidden');
          }
        }
      };
      const using = devices.flatMap((device) => Array.from({ length: 3 }, () => use(device)));
      await ends[round % ends.length]!(to);
      const state = async () => ({
        messages: (await ann.send('message:list', { timelineId, limit: 1 })).messages,
        categories: (await ann.send('category:list', { serverId })).categories,
        members: (await ann.send('member:list', { serverId, userIds: [cem.id] })).members,
      });
      const then = await state();
      isAnswered = true;
      await Promise.all(using);
      expect(await state(), `round ${round}`).to.deep.equal(then);
      await deleteRole(ann, to);
    }
    expect([...outcomes].sort()).to.deep.equal(
      ['rename', 'send', 'update'].flatMap((what) => [`${what} allowed`, `${what} refused`]),
    );
  });
});

interface Round {
  roleId: string;
  channelId: string;
}

describeTopologies('a private channel that a custom role opens', (topology) => {
  it('sends nothing to either node after the command that closes it is answered', async () => {
    const [ann, ben] = [await topology().person('Ann'), await topology().person('Ben')];
    const speakers = [ann, await topology().elsewhere(ann)];
    const devices = [ben, await topology().elsewhere(ben)];
    const { serverId } = await openPlace(ann, ben);
    const ends = [
      ({ roleId }: Round) => ann.send('role:take', { serverId, roleId, userId: ben.id }),
      ({ channelId }: Round) => ann.send('channel:update', { channelId, viewerRoleIds: [] }),
      ({ roleId }: Round) => ann.send('role:delete', { serverId, roleId }),
    ];
    const late = new Set<string>();
    const counts = { received: 0, refused: 0 };
    const leaked: string[] = [];
    for (const device of devices)
      device.socket.on('changes', ({ changes }) => {
        for (const change of changes)
          if (change.type === 'message:created') {
            counts.received += 1;
            if (late.has(change.message.body)) leaked.push(change.message.body);
          }
      });
    for (let round = 0; round < atLength(6, 30); round += 1) {
      const { role } = await ann.send('role:create', { serverId, name: `r${round}` });
      await ann.send('role:give', { serverId, roleId: role.id, userId: ben.id });
      const wanted = { serverId, name: 'secret', private: true, viewerRoleIds: [role.id] };
      const channelId = (await ann.send('channel:create', wanted)).channel.id;
      for (const device of devices) await device.send('channel:join', { channelId });
      let [isClosed, isOver] = [false, false];
      const speak = async (speaker: Person, name: string) => {
        for (let i = 0; !isOver; i += 1) {
          const body = `${name} ${i}`;
          if (isClosed) late.add(body);
          await speaker.send('message:send', { timelineId: channelId, body });
        }
      };
      const read = async (device: Person) => {
        while (!isOver) {
          const wasClosed = isClosed;
          const result = await device.ask('message:list', { timelineId: channelId, limit: 5 });
          if (result.ok) expect(wasClosed, 'read afterwards').to.equal(false);
          else if (wasClosed) counts.refused += 1;
        }
      };
      const using = [
        ...speakers.map((speaker, at) => speak(speaker, `${round} ${at}`)),
        ...devices.map(read),
      ];
      await ends[round % ends.length]!({ roleId: role.id, channelId });
      isClosed = true;
      const body = `${round} afterwards`;
      late.add(body);
      for (const speaker of speakers)
        await speaker.send('message:send', { timelineId: channelId, body });
      isOver = true;
      await Promise.all(using);
      await deleteRole(ann, { serverId, roleId: role.id });
    }
    // Late messages have arrived by then.
    for (const device of devices) await device.send('session:list', {});
    expect(leaked).to.deep.equal([]);
    expect(counts.received).to.be.above(0);
    expect(counts.refused).to.be.above(0);
  });
});
