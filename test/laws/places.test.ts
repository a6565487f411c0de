import { expect } from 'chai';
import type { Category } from '../../shared/categories.ts';
import type { Channel } from '../../shared/channels.ts';
import { byPlace } from '../../shared/order.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import type { Random } from '../support/generate.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { allTopologies, describeTopologies } from '../support/topologies.ts';
import { atLength } from '../support/length.ts';

interface Place {
  serverId: string;
  categoryIds: string[];
  channelIds: string[];
}

async function openPlace(people: Person[]): Promise<Place> {
  const [owner, ...others] = people;
  const { server } = await owner!.send('server:create', { name: 'Ordered' });
  const serverId = server.id;
  const { invite } = await owner!.send('invite:create', { serverId });
  const place: Place = { serverId, categoryIds: [], channelIds: [server.defaultChannelId] };
  for (const person of others) {
    await person.send('server:join', { code: invite.code });
    await owner!.send('member:update', { serverId, userId: person.id, role: 'moderator' });
  }
  for (const name of ['a', 'b', 'c'])
    place.categoryIds.push((await owner!.send('category:create', { serverId, name })).category.id);
  for (const name of ['d', 'e', 'f', 'g', 'h'])
    place.channelIds.push((await owner!.send('channel:create', { serverId, name })).channel.id);
  const userIds = people.slice(1, 3).map(({ id }) => id);
  const secret = { serverId, name: 'secret', private: true, userIds };
  place.channelIds.push((await owner!.send('channel:create', secret)).channel.id);
  return place;
}

function moveSomething(random: Random, me: Person, place: Place): Promise<unknown> {
  const position = random.int(-1, 7) + random.pick([0, 0, 0.5]);
  const channelId = random.pick(place.channelIds);
  const categoryId = random.pick(place.categoryIds);
  return random.pick([
    () => me.send('channel:update', { channelId, position }),
    () => me.send('channel:update', { channelId, categoryId, position }),
    () => me.send('channel:update', { channelId, categoryId }),
    () => me.send('channel:update', { channelId, categoryId: null, position }),
    () => me.send('category:update', { categoryId, position }),
  ])();
}

function unlessHidden(error: unknown) {
  if ((error as { code?: string }).code !== 'not_found') throw error;
}

const inOrder = (rows: { id: string; position: number }[]) =>
  rows.toSorted(byPlace).map(({ id, position }) => ({ id, position }));

describeTopologies(
  `one order of places, with LAW_SEED=${lawSeed}`,
  (topology) => {
    it('after random moves by many people at once', async () => {
      const random = lawRandom();
      const people: Person[] = [];
      for (let i = 0; i < 5; i += 1) people.push(await topology().person());
      const place = await openPlace(people);
      const mirrors = people.map((person) => new Mirror(person));
      for (const mirror of mirrors) await mirror.open(serverRoom(place.serverId));

      for (let round = 0; round < atLength(12, 40); round += 1)
        await Promise.all(
          people.map((person) => moveSomething(random, person, place).catch(unlessHidden)),
        );

      for (const mirror of mirrors) await mirror.becomesTrue();
      const { db } = topology().nodes[0];
      const categories = await query<Category>(
        db,
        'select id, position from categories where server_id = $1 order by position, id',
        [place.serverId],
      );
      const channels = await query<Channel>(
        db,
        'select id, position, category_id as "categoryId", private from channels where server_id = $1 order by position, id',
        [place.serverId],
      );
      expect(categories).to.have.length(3);
      expect(channels).to.have.length(7);
      for (const [i, mirror] of mirrors.entries()) {
        const held = mirror.state(serverRoom(place.serverId)) as unknown as {
          categories: Category[];
          channels: Channel[];
        };
        const mine = (mirror.state(mirror.userRoom)?.privateChannels ?? []) as Channel[];
        expect(mine).to.have.length(i < 3 ? 1 : 0);
        expect(inOrder(held.categories)).to.deep.equal(categories);
        for (const categoryId of [null, ...place.categoryIds]) {
          const there = channels.filter((channel) => channel.categoryId === categoryId);
          const theirs = [...held.channels, ...mine].filter(
            (channel) => channel.categoryId === categoryId,
          );
          expect(inOrder(theirs)).to.deep.equal(
            inOrder(there.filter((channel) => !channel.private || i < 3)),
          );
          expect(new Set(there.map(({ position }) => position)).size).to.equal(there.length);
        }
      }
    });
  },
  allTopologies,
);
