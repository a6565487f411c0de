/** People whom several envelopes of one commit share travel between nodes once, and arrive with each of them. */
import { expect } from 'chai';
import { packed, unpacked } from '../server/realtime/node-messages.ts';
import type { People } from '../shared/people.ts';
import { describeWorlds, joined } from './support/worlds.ts';

describe('people who travel between nodes', () => {
  const person = (name: string) => ({ id: name, name, kind: 'registered' as const, rev: 1 });
  const both: People = { ann: person('ann'), ben: person('ben') };
  const one: People = { cem: person('cem') };
  const envelope = (room: 'user:a' | 'user:b' | 'user:c', people: People) => ({
    ...{ room, from: 1, to: 2, changes: [], people },
  });

  it('go once where they are the same, and are as they were where they arrive', () => {
    const sent = [envelope('user:a', both), envelope('user:b', one), envelope('user:c', both)];
    const travelling = JSON.parse(JSON.stringify(packed(sent))) as ReturnType<typeof packed>;
    expect(JSON.stringify(travelling).match(/"ben"/g)).to.have.length(3);
    expect(travelling.people).to.deep.equal([both]);
    const around = { kind: 'news' as const, epoch: '', departures: [], arrivals: [] };
    const arrived = unpacked({ ...around, ...travelling });
    expect(arrived).to.deep.equal(sent);
  });
});

describeWorlds(
  'a private channel that changes',
  (world) => {
    it('is told with its people to each of those in it, on the other node too', async () => {
      const [here, there] = world().nodes;
      const ann = await here.person('Ann');
      const others = [
        await here.person('Ben'),
        await there.person('Cem'),
        await there.person('Dot'),
      ];
      const { server } = await ann.send('server:create', { name: 'Place' });
      const { invite } = await ann.send('invite:create', { serverId: server.id });
      for (const person of others) await person.send('server:join', { code: invite.code });
      const userIds = others.map(({ user }) => user.id);
      const made = { serverId: server.id, name: 'secret', private: true, userIds };
      const { channel } = await ann.send('channel:create', made);
      await ann.send('channel:update', { channelId: channel.id, name: 'renamed' });
      for (const person of [ann, ...others]) {
        const { people } = await person.hears('changes', ({ changes }) =>
          changes.some(
            (change) =>
              change.type === 'privateChannel:updated' && change.channel.name === 'renamed',
          ),
        );
        expect(Object.keys(people)).to.have.members([ann.user.id, ...userIds]);
      }
    });
  },
  { 'on two nodes': joined },
);
