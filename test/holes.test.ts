/** A change whose predecessor does not come: how that is mended, and where nothing is missing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { serverRoom, userRoom } from '../shared/rooms.ts';
import { until } from './support/time.ts';
import { startApp } from './support/app.ts';
import { holding } from './support/holding.ts';
import { connectAs, type Person } from './support/person.ts';
import { ask, pair } from './support/ties.ts';
import { joined, keepingBack, type World } from './support/worlds.ts';

/** As long as a node waits for a predecessor. */
const patience = 200;

describe('whoever comes back', () => {
  it('hears the first change of their own room as any other', async () => {
    const app = await startApp();
    const [ann, ben] = await pair(app);
    const { id: requestId } = await ask(ann, ben);
    await ann.hears('changes');
    ann.close();
    await until(() => !app.app.sockets.hasAny(userRoom(ann.id)));
    await ben.send('friendRequest:update', { requestId, status: 'accepted' });
    const again = await ann.again();
    const { friendships } = await again.send('friendship:list', {});
    await again.send('friendship:delete', { friendshipId: friendships[0]!.id });
    await again.hears('changes', ({ changes }) => changes[0]?.type === 'friendship:deleted');
    expect(again.heard('head')).to.deep.equal([]);
    await app.close();
  });
});

describe('a hole in a room without a history', () => {
  let world: World;
  let owner: Person;
  let listener: Person;
  let serverId: string;
  before(async () => void (world = await joined()));
  after(() => world.close());
  beforeEach(async () => {
    owner = await world.nodes[0].person('Ann');
    serverId = (await owner.send('server:create', { name: 'Holes' })).server.id;
    listener = await connectAs(world.nodes[1].url, owner.cookie);
    await listener.send('server:open', { serverId });
  });

  const rename = (name: string) => owner.send('server:update', { serverId, name });
  const headsOf = (person: Person) =>
    person.heard('head').filter(({ room }) => room === serverRoom(serverId));
  const waiting = () => world.nodes[1].app.delivery.waitingCount(serverRoom(serverId));

  /** All but the first of some changes come, one by one. */
  async function loseFirst(work: (tell: () => Promise<void>) => Promise<void>) {
    const kept = await keepingBack(world, async () => {
      for (const name of ['one', 'two', 'three', 'four']) await rename(name);
    });
    await work(async () => {
      for (const [i, tell] of kept.slice(1).entries()) {
        tell();
        await until(() => waiting() > i || headsOf(listener).length > 0);
      }
    });
    await listener.hears('head');
    await rename('five');
    await listener.hears('changes', ({ changes }) => JSON.stringify(changes).includes('five'));
    expect(headsOf(listener)).to.have.length(1);
  }

  it('is told once, however much waits behind it', () =>
    loseFirst((tell) =>
      holding(world.nodes[1].where, 'rooms', 'access exclusive', async () => {
        await tell();
        // Timers of one length end in their order: the node's own are over.
        await sleep(patience);
      }),
    ));

  it('is told without reading the room', () =>
    loseFirst((tell) =>
      holding(world.nodes[1].where, 'channels', 'access exclusive', async () => {
        await tell();
        await listener.hears('head');
        // Not by looking at all rooms, which would find it in the end.
        const { values } = await world.nodes[1].app.metrics.losses.get();
        expect(values[0]?.value).to.equal(0);
      }),
    ));
});
