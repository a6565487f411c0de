/** Clients receive each change once, and no `head`, though node messages are late, doubled, out of order or lost. */
import { expect } from 'chai';
import { timelineRoom } from '../../shared/rooms.ts';
import { Mirror } from '../support/mirror.ts';
import { connectAs } from '../support/person.ts';
import { describeTopologies, joined, keepingBack } from '../support/topologies.ts';

const orders: Record<string, number[]> = {
  'in order': [0, 1, 2, 3],
  backwards: [3, 2, 1, 0],
  'two swapped': [0, 2, 1, 3],
  'each twice, the second time late': [0, 1, 2, 3, 0, 1, 2, 3],
  'the first of them never': [1, 2, 3],
  'only the last': [3],
  'one in the middle never, another twice': [0, 2, 2, 3],
};

describeTopologies(
  'a remote broadcast',
  (topology) => {
    for (const [name, order] of Object.entries(orders))
      it(`is delivered once and in order, though it arrives ${name}`, async () => {
        const [here, there] = topology().nodes;
        const ann = await here.person('Ann');
        const { server } = await ann.send('server:create', { name: 'Heard' });
        const timelineId = server.defaultChannelId;
        const listener = await connectAs(there.url, ann.cookie);
        await listener.send('channel:join', { channelId: timelineId });
        const kept = await keepingBack(topology(), async () => {
          for (const body of ['one', 'two', 'three', 'four'])
            await ann.send('message:send', { timelineId, body });
        });
        expect(kept).to.have.length(4);
        for (const i of order) kept[i]?.();
        await listener.waitFor(
          'changes',
          ({ room, to }) => room.startsWith('timeline') && to === 4,
        );
        // The next message must find nothing left to wait for.
        await ann.send('message:send', { timelineId, body: 'five' });
        await listener.waitFor(
          'changes',
          ({ room, to }) => room.startsWith('timeline') && to === 5,
        );
        const received = listener
          .received('changes')
          .filter(({ room }) => room === timelineRoom(timelineId))
          .flatMap(({ changes }) => changes.map(({ version }) => version));
        expect(received).to.deep.equal([1, 2, 3, 4, 5]);
        expect(listener.received('head')).to.deep.equal([]);
      });

    it('is applied once by a client that joined before it arrived on this node', async () => {
      const [here, there] = topology().nodes;
      const ann = await here.person('Ann');
      const { server } = await ann.send('server:create', { name: 'Overlap' });
      const timelineId = server.defaultChannelId;
      const room = timelineRoom(timelineId);
      // A device that has received neither message, so that the node sends both in one event.
      const early = await connectAs(there.url, ann.cookie);
      await early.send('channel:join', { channelId: timelineId });
      const late = new Mirror(await connectAs(there.url, ann.cookie));
      const kept = await keepingBack(topology(), async () => {
        await ann.send('message:send', { timelineId, body: 'in the snapshot' });
        await late.open(room);
        await ann.send('message:send', { timelineId, body: 'new' });
      });
      for (const deliver of kept.reverse()) deliver();
      await late.person.waitFor('changes', (stretch) => stretch.room === room && stretch.to === 2);
      const [stretch] = early.received('changes').filter((one) => one.room === room);
      expect(stretch).to.include({ from: 0, to: 2 });
      const applied = late.changes.flatMap((change) =>
        'message' in change ? [change.message] : [],
      );
      expect(applied.map(({ body }) => body)).to.deep.equal(['new']);
    });

    it('evicts no person who has come back since', async () => {
      const [here, there] = topology().nodes;
      const [ann, ben] = [await here.person('Ann'), await here.person('Ben')];
      const { server } = await ann.send('server:create', { name: 'Left' });
      const timelineId = server.defaultChannelId;
      const { invite } = await ann.send('invite:create', { serverId: server.id });
      // A connected device, so that the node keeps track of departures.
      await connectAs(there.url, ann.cookie);
      await ben.send('server:join', { code: invite.code });
      const kept = await keepingBack(topology(), async () => {
        await ann.send('member:remove', { serverId: server.id, userId: ben.id });
        await ben.send('server:join', { code: invite.code });
      });
      const back = await connectAs(there.url, ben.cookie);
      await back.send('channel:join', { channelId: timelineId });
      for (const deliver of kept) deliver();
      await ann.send('message:send', { timelineId, body: 'Welcome back' });
      await back.waitFor('changes', ({ room }) => room === timelineRoom(timelineId));
      expect(back.received('head')).to.deep.equal([]);
    });
  },
  { 'on two nodes': joined },
);
