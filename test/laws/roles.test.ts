/** A permission granted by a custom role has no effect after the command that revokes it is answered. */
import { expect } from 'chai';
import { atLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { describeTopologies } from '../support/topologies.ts';

describeTopologies('a permission of a custom role', (topology) => {
  it('has no effect on either node after the command that revokes it is answered', async () => {
    const [ann, ben] = [await topology().person('Ann'), await topology().person('Ben')];
    const devices = [ben, await topology().elsewhere(ben)];
    const { serverId, channelId: timelineId } = await openPlace(ann, ben);
    await ann.send('channel:update', { channelId: timelineId, announcements: true });
    const { category } = await ann.send('category:create', { serverId, name: 'Rooms' });
    const ends = [
      (to: { serverId: string; roleId: string }) =>
        ann.send('role:take', { ...to, userId: ben.id }),
      (to: { serverId: string; roleId: string }) =>
        ann.send('role:update', { ...to, permissions: [] }),
      (to: { serverId: string; roleId: string }) => ann.send('role:delete', to),
    ];
    const counts = { allowed: 0, refused: 0 };
    for (let round = 0; round < atLength(6, 30); round += 1) {
      const permissions: ('send' | 'manage channels')[] = ['send', 'manage channels'];
      const { role } = await ann.send('role:create', { serverId, name: `r${round}`, permissions });
      const to = { serverId, roleId: role.id };
      await ann.send('role:give', { ...to, userId: ben.id });
      let isAnswered = false;
      const use = async (person: Person) => {
        for (let i = 0; !isAnswered; i += 1) {
          const name = `${round} ${i}`;
          const results = await Promise.all([
            person.ask('message:send', { timelineId, body: name }),
            person.ask('category:update', { categoryId: category.id, name }),
          ]);
          for (const result of results) {
            counts[result.ok ? 'allowed' : 'refused'] += 1;
            if (!result.ok) expect(result.error.code).to.equal('forbidden');
          }
        }
      };
      const using = devices.flatMap((device) => Array.from({ length: 3 }, () => use(device)));
      await ends[round % ends.length]!(to);
      const state = async () => ({
        messages: (await ann.send('message:list', { timelineId, limit: 1 })).messages,
        categories: (await ann.send('category:list', { serverId })).categories,
      });
      const then = await state();
      isAnswered = true;
      await Promise.all(using);
      expect(await state(), `round ${round}`).to.deep.equal(then);
    }
    expect(counts.refused).to.be.above(0);
    expect(counts.allowed).to.be.above(0);
  });
});
