import { expect } from 'chai';
import type { Person } from '../support/person.ts';
import { partitioned, describeTopologies, joined } from '../support/topologies.ts';

async function lobbyOf(person: Person): Promise<string> {
  const [lobby] = (await person.send('server:list', {})).servers;
  const serverId = lobby?.id ?? '';
  await person.send('server:open', { serverId });
  return serverId;
}

describeTopologies(
  'a chosen status',
  (topology) => {
    it('is seen on the other node, and sent to the account’s devices there', async () => {
      const [here, there] = topology().nodes;
      const ann = await there.person('Ann');
      await lobbyOf(ann);
      const ben = await here.person('Ben');
      const elsewhere = await topology().elsewhere(ben);
      await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
      await ben.send('presence:set', { status: 'invisible' });
      await elsewhere.waitFor('seenAs', ({ status }) => status === 'invisible');
      await ann.waitFor('presence', ({ users }) => users[ben.id] === 'offline');
      await elsewhere.send('presence:set', { status: 'dnd' });
      await ben.waitFor('seenAs', ({ status }) => status === 'dnd');
      await ann.waitFor('presence', ({ users }) => users[ben.id] === 'dnd');
    });

    it('is sent to a new device on another node', async () => {
      const [here] = topology().nodes;
      const ben = await here.person('Ben');
      await ben.send('presence:set', { status: 'invisible' });
      const elsewhere = await topology().elsewhere(ben);
      expect(elsewhere.ready.seenAs).to.equal('invisible');
    });
  },
  { 'on two nodes': joined, 'on two nodes that never hear each other': partitioned },
);

describeTopologies(
  'a device in use',
  (topology) => {
    it('counts more than an unused device on another node', async () => {
      const [here, there] = topology().nodes;
      const ann = await there.person('Ann');
      const serverId = await lobbyOf(ann);
      const ben = await here.person('Ben');
      const elsewhere = await topology().elsewhere(ben);
      await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
      await ben.send('presence:update', { active: false });
      // The presence of another guest travels the same path, and so arrives later.
      const last = await here.person('Last');
      await ann.waitFor('presence', ({ users }) => users[last.id] === 'online');
      const { presence } = await ann.send('member:list', { serverId });
      expect(presence[ben.id]).to.equal('online');
      await elsewhere.send('presence:update', { active: false });
      await ann.waitFor('presence', ({ users }) => users[ben.id] === 'idle');
    });
  },
  { 'on two nodes': joined },
);
