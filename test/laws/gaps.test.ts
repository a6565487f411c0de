import { expect } from 'chai';
import type { Channel } from '../../shared/channels.ts';
import { byPlace } from '../../shared/order.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import type { Random } from '../support/generate.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { settled } from '../support/place.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { describeTopologies, type Topology } from '../support/topologies.ts';
import { atLength } from '../support/length.ts';

type CategoryId = string | null;
interface Listed {
  id: string;
  private: boolean;
}
type Lists = Map<CategoryId, Listed[]>;

interface Place {
  owner: Person;
  insider: Person;
  outsider: Person;
  serverId: string;
  defaultId: string;
  lists: Lists;
}

async function openPlace(topology: Topology): Promise<Place> {
  const [owner, insider, outsider] = [
    await topology.person(),
    await topology.person(),
    await topology.person(),
  ];
  const { server } = await owner.send('server:create', { name: 'Ordered' });
  const serverId = server.id;
  const { invite } = await owner.send('invite:create', { serverId });
  for (const person of [insider, outsider]) {
    await person.send('server:join', { code: invite.code });
    await owner.send('member:update', { serverId, userId: person.id, role: 'moderator' });
  }
  const lists: Lists = new Map([[null, [{ id: server.defaultChannelId, private: false }]]]);
  for (const name of ['a', 'b'])
    lists.set((await owner.send('category:create', { serverId, name })).category.id, []);
  return { owner, insider, outsider, serverId, defaultId: server.defaultChannelId, lists };
}

/** An operation. Resolves with whether people outside the private channels are notified. */
type Operation = () => Promise<'seen' | 'unseen'>;

function nextOperation(random: Random, topology: Topology, place: Place): Operation {
  const { owner, insider, serverId, defaultId, lists } = place;
  const me = random.pick([owner, insider]);
  const all = [...lists].flatMap(([categoryId, list]) =>
    list.map((channel) => ({ channel, categoryId, list })),
  );
  const { channel, categoryId, list } = random.pick(all);
  const [toId, to] = random.pick([...lists]);
  const visibilityOf = ({ private: isPrivate }: Listed) => (isPrivate ? 'unseen' : 'seen');
  const take = () => list.splice(list.indexOf(channel), 1);
  const create: Operation = async () => {
    const privacy = random.chance(0.5) ? { private: true, userIds: [insider.id] } : {};
    const wanted = { serverId, name: 'new', categoryId: toId, ...privacy };
    const made = (await me.send('channel:create', wanted)).channel;
    to.push({ id: made.id, private: made.private });
    return visibilityOf(made);
  };
  const move: Operation = async () => {
    const before = random.pick([...to.filter((one) => one !== channel), undefined]);
    const position = before === undefined ? 1e9 : await positionOf(topology, before.id);
    const order = () => publicOrder(lists);
    const was = order();
    await me.send('channel:update', { channelId: channel.id, categoryId: toId, position });
    take();
    to.splice(before === undefined ? to.length : to.indexOf(before), 0, channel);
    return order() === was ? 'unseen' : 'seen';
  };
  const turn: Operation = async () => {
    const isPrivate = !channel.private;
    const wanted = { channelId: channel.id, private: isPrivate };
    await owner.send('channel:update', isPrivate ? { ...wanted, userIds: [insider.id] } : wanted);
    channel.private = isPrivate;
    return 'seen';
  };
  const end: Operation = async () => {
    await me.send('channel:delete', { channelId: channel.id });
    take();
    return visibilityOf(channel);
  };
  const uncategorise: Operation = async () => {
    if (categoryId === null) return create();
    await me.send('category:delete', { categoryId });
    lists.delete(categoryId);
    lists.get(null)!.push(...list);
    const { category } = await me.send('category:create', { serverId, name: 'again' });
    lists.set(category.id, []);
    return 'seen';
  };
  const isDefault = channel.id === defaultId;
  if (isDefault || all.length < 6) return random.pick([create, move]);
  if (all.length > 20) return end;
  return random.pick([create, create, move, move, move, move, turn, end, uncategorise]);
}

const publicOrder = (lists: Lists) =>
  JSON.stringify([...lists].map(([id, list]) => [id, list.filter((one) => !one.private)]));

const stored = (topology: Topology, serverId: string) =>
  query<Pick<Channel, 'id' | 'position' | 'categoryId' | 'version'> & { private: boolean }>(
    topology.nodes[0].db,
    `select id, position, category_id as "categoryId", version, private from channels
     where server_id = $1`,
    [serverId],
  );

async function positionOf(topology: Topology, id: string): Promise<number> {
  const { db } = topology.nodes[0];
  const [row] = await query<Channel>(db, 'select position from channels where id = $1', [id]);
  return row!.position;
}

async function versionOf(topology: Topology, id: string): Promise<number> {
  const { db } = topology.nodes[0];
  const [row] = await query<Channel>(db, 'select version from rooms where id = $1', [id]);
  return row!.version;
}

type Seen = Pick<Channel, 'id' | 'position' | 'categoryId'>;

/** Expects these rows in the order of `lists`, reduced to the channels that `which` selects. */
function isOrdered(rows: Seen[], lists: Lists, which: (channel: Listed) => boolean): void {
  for (const [categoryId, list] of lists) {
    const there = rows.filter((row) => row.categoryId === categoryId).sort(byPlace);
    expect(there.map(({ id }) => id)).to.deep.equal(list.filter(which).map(({ id }) => id));
    expect(new Set(there.map(({ position }) => position)).size).to.equal(there.length);
  }
}

/** Expects positions without gaps, because a gap would reveal a hidden channel. */
function hasNoGaps(rows: Seen[], lists: Lists): void {
  for (const categoryId of lists.keys()) {
    const there = rows.filter((row) => row.categoryId === categoryId).sort(byPlace);
    expect(there.map(({ position }) => position)).to.deep.equal(there.map((_, i) => i + 1));
  }
}

const channelsHeld = (mirror: Mirror, serverId: string) => ({
  publics: (mirror.state(serverRoom(serverId))?.channels ?? []) as Channel[],
  privates: (mirror.state(mirror.userRoom)?.privateChannels ?? []) as Channel[],
});

describeTopologies(`private channels among public ones, with LAW_SEED=${lawSeed}`, (topology) => {
  it('leave no gap and no trace for people outside them, and are exactly where they were put', async () => {
    const random = lawRandom();
    const place = await openPlace(topology());
    const { owner, insider, outsider, serverId, lists } = place;
    const mirrors = [owner, insider, outsider].map((person) => new Mirror(person));
    for (const mirror of mirrors) await mirror.open(serverRoom(serverId));
    const received: string[] = [];
    const countReceived = async () => {
      await settled(outsider);
      return received.length;
    };
    outsider.socket.onAny((event: string, payload: unknown) => {
      if (event !== 'presence') received.push(`${event} ${JSON.stringify(payload)}`);
    });
    let unseen = 0;
    for (let round = 0; round < atLength(40, 150); round += 1) {
      const operation = nextOperation(random, topology(), place);
      const version = await versionOf(topology(), serverId);
      const before = await countReceived();
      if ((await operation()) === 'unseen') {
        unseen += 1;
        expect(await versionOf(topology(), serverId)).to.equal(version);
        // On two nodes, news of an earlier operation can still be on its way.
        if (topology().nodes[0] === topology().nodes[1])
          expect(received.slice(before, await countReceived())).to.deep.equal([]);
      }
      const rows = await stored(topology(), serverId);
      isOrdered(rows, lists, () => true);
      hasNoGaps(
        rows.filter((row) => !row.private),
        lists,
      );
    }
    expect(unseen).to.be.above(atLength(5, 20));

    for (const mirror of mirrors) await mirror.becomesTrue();
    for (const mirror of mirrors.slice(0, 2)) {
      const { publics, privates } = channelsHeld(mirror, serverId);
      isOrdered([...publics, ...privates], lists, () => true);
    }
    const { publics, privates } = channelsHeld(mirrors[2]!, serverId);
    expect(privates).to.deep.equal([]);
    isOrdered(publics, lists, (channel) => !channel.private);
    hasNoGaps(publics, lists);
  });
});
