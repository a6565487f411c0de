import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import { until } from '../support/time.ts';
import { startApp } from '../support/app.ts';
import { withTableLock } from '../support/table-lock.ts';
import { connectAs, type Person } from '../support/person.ts';
import { ask, pair } from '../support/relationships.ts';
import { joined, keepingBack, type Topology } from '../support/topologies.ts';

/** How long a node waits for a predecessor, in milliseconds. */
const pauseMs = 200;

describe('a client that comes back', () => {
  it('receives the first change of its user room like any other', async () => {
    const app = await startApp();
    const [ann, ben] = await pair(app);
    const { id: requestId } = await ask(ann, ben);
    await ann.waitFor('changes');
    ann.close();
    await until(() => !app.node.sockets.hasAny(userRoom(ann.id)));
    await ben.send('friendRequest:update', { requestId, status: 'accepted' });
    const again = await ann.newTab();
    const { friendships } = await again.send('friendship:list', {});
    await again.send('friendship:delete', { friendshipId: friendships[0]!.id });
    await again.waitFor('changes', ({ changes }) => changes[0]?.type === 'friendship:deleted');
    expect(again.received('head')).to.deep.equal([]);
    await app.close();
  });
});

describe('a hole in a room without a history', () => {
  let topology: Topology;
  let owner: Person;
  let listener: Person;
  let serverId: string;
  before(async () => void (topology = await joined()));
  after(() => topology.close());
  beforeEach(async () => {
    owner = await topology.nodes[0].person('Ann');
    serverId = (await owner.send('server:create', { name: 'Holes' })).server.id;
    listener = await connectAs(topology.nodes[1].url, owner.cookie);
    await listener.send('server:open', { serverId });
  });

  const rename = (name: string) => owner.send('server:update', { serverId, name });
  const headsOf = (person: Person) =>
    person.received('head').filter(({ room }) => room === serverRoom(serverId));
  const waiting = () => topology.nodes[1].node.delivery.waitingCount(serverRoom(serverId));

  /** Delivers all but the first of some changes, one by one. */
  async function loseFirst(work: (deliver: () => Promise<void>) => Promise<void>) {
    const kept = await keepingBack(topology, async () => {
      for (const name of ['one', 'two', 'three', 'four']) await rename(name);
    });
    await work(async () => {
      for (const [i, deliver] of kept.slice(1).entries()) {
        deliver();
        await until(() => waiting() > i || headsOf(listener).length > 0);
      }
    });
    await listener.waitFor('head');
    await rename('five');
    await listener.waitFor('changes', ({ changes }) => JSON.stringify(changes).includes('five'));
    expect(headsOf(listener)).to.have.length(1);
  }

  it('is reported once, however many changes wait behind it', () =>
    loseFirst((deliver) =>
      withTableLock(topology.nodes[1].where, 'rooms', 'access exclusive', async () => {
        await deliver();
        // Timers of equal length fire in order, so those of the node have fired.
        await sleep(pauseMs);
      }),
    ));

  it('is reported without reading the room', () =>
    loseFirst((deliver) =>
      withTableLock(topology.nodes[1].where, 'channels', 'access exclusive', async () => {
        await deliver();
        await listener.waitFor('head');
        // A check of all rooms would find the gap later; it must not be what found it here.
        const { values } = await topology.nodes[1].node.metrics.losses.get();
        expect(values[0]?.value).to.equal(0);
      }),
    ));
});
