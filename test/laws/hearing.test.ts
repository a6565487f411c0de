/** Words between nodes come late, twice, in another order, or never: their listeners need not even ask. */
import { expect } from 'chai';
import { timelineRoom } from '../../shared/rooms.ts';
import { Parcel } from '../../server/parcels.ts';
import { connectAs } from '../support/person.ts';
import { describeWorlds, joined, type World } from '../support/worlds.ts';

/** Keeps what the first node tells of changes back while `work` is done. Answers with how to tell each. */
async function keepingBack({ nodes: [{ app }] }: World, work: () => Promise<void>) {
  const { cluster } = app;
  const tell = cluster.tell.bind(cluster);
  const kept: (() => void)[] = [];
  cluster.tell = (parcel) => {
    if (Parcel.safeParse(parcel).data?.kind === 'news') kept.push(() => tell(parcel));
    else tell(parcel);
  };
  await work().finally(() => (cluster.tell = tell));
  return kept;
}

const orders: Record<string, number[]> = {
  'in order': [0, 1, 2, 3],
  backwards: [3, 2, 1, 0],
  'two swapped': [0, 2, 1, 3],
  'each twice, the second time late': [0, 1, 2, 3, 0, 1, 2, 3],
  'the first of them never': [1, 2, 3],
  'only the last': [3],
  'one in the middle never, another twice': [0, 2, 2, 3],
};

describeWorlds(
  'what another node tells',
  (world) => {
    for (const [name, order] of Object.entries(orders))
      it(`is heard once and in order, though it comes ${name}`, async () => {
        const [here, there] = world().nodes;
        const ann = await here.person('Ann');
        const { server } = await ann.send('server:create', { name: 'Heard' });
        const timelineId = server.defaultChannelId;
        const listener = await connectAs(there.url, ann.cookie);
        await listener.send('channel:join', { channelId: timelineId });
        const kept = await keepingBack(world(), async () => {
          for (const body of ['one', 'two', 'three', 'four'])
            await ann.send('message:send', { timelineId, body });
        });
        expect(kept).to.have.length(4);
        for (const i of order) kept[i]?.();
        await listener.hears('changes', ({ room, to }) => room.startsWith('timeline') && to === 4);
        // Later words must find nothing left to wait for.
        await ann.send('message:send', { timelineId, body: 'five' });
        await listener.hears('changes', ({ room, to }) => room.startsWith('timeline') && to === 5);
        const heard = listener
          .heard('changes')
          .filter(({ room }) => room === timelineRoom(timelineId))
          .flatMap(({ changes }) => changes.map(({ version }) => version));
        expect(heard).to.deep.equal([1, 2, 3, 4, 5]);
        expect(listener.heard('head')).to.deep.equal([]);
      });
  },
  60_000,
  { 'on two nodes': joined },
);
