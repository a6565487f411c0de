/** Nobody outside a private channel receives anything of it, under any concurrent actions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Random } from '../support/generate.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { allTopologies, describeTopologies, type Topology } from '../support/topologies.ts';
import { atLength } from '../support/length.ts';

interface Place {
  owner: Person;
  keepers: Person[];
  serverId: string;
  channelId: string;
  code: string;
}

interface Visitor {
  person: Person;
  isOut: boolean;
  /** How many actions were begun that can let them in. */
  joins: number;
  /** How many of these are under way. */
  coming: number;
  /** Messages sent while they were certainly out, with the value of `joins` then. */
  never: Map<string, number>;
  /** Messages received, with the value of `joins` then: a visitor who is in again can read all of it. */
  received: Map<string, number>;
}

async function openPlace(topology: Topology): Promise<Place> {
  const [owner, ...keepers] = await Promise.all([
    topology.person(),
    topology.person(),
    topology.person(),
  ]);
  const { server } = await owner.send('server:create', { name: 'Guarded' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  const [serverId, code] = [server.id, invite.code];
  const wanted = { serverId, name: 'secret', private: true };
  const { channel } = await owner.send('channel:create', wanted);
  for (const keeper of keepers) {
    await keeper.send('server:join', { code });
    await owner.send('member:update', { serverId, userId: keeper.id, role: 'moderator' });
    await owner.send('channel:addMember', { channelId: channel.id, userId: keeper.id });
  }
  return { owner, keepers, serverId, channelId: channel.id, code };
}

/** Runs an action that can let `into` in. Marks visitors that it returns as out, unless others can have let them in. */
async function doing(into: Visitor[], all: Visitor[], work: () => Promise<Visitor[]>) {
  for (const visitor of into) {
    visitor.isOut = false;
    visitor.joins += 1;
    visitor.coming += 1;
  }
  const before = new Map(all.map((visitor) => [visitor, visitor.joins]));
  const quiet = new Set(all.filter(({ coming }) => coming === 0));
  const out = await work().catch(refused);
  for (const visitor of into) visitor.coming -= 1;
  for (const visitor of out)
    if (visitor.joins === before.get(visitor) && (quiet.has(visitor) || into.includes(visitor)))
      visitor.isOut = visitor.coming === 0;
}

async function disturb(random: Random, place: Place, all: Visitor[]): Promise<void> {
  const { owner, keepers, serverId, channelId, code } = place;
  const keeper = random.pick([owner, ...keepers]);
  const visitor = random.pick(all);
  const userId = visitor.person.id;
  const others = all.filter((one) => one !== visitor);
  const ways: (() => Promise<void>)[] = [
    () =>
      doing([visitor], all, async () => {
        const wanted = { channelId, private: true, userIds: [userId] };
        const { channel } = await keeper.send('channel:update', wanted);
        const members = new Set(channel.private ? channel.memberIds : []);
        return channel.private ? others.filter(({ person }) => !members.has(person.id)) : [];
      }),
    () =>
      doing(all, all, async () => {
        await keeper.send('channel:update', { channelId, private: false });
        return [];
      }),
    () =>
      doing([visitor], all, async () => {
        await visitor.person.send('server:join', { code });
        await keeper.send('channel:addMember', { channelId, userId });
        return [];
      }),
    () =>
      doing([], all, async () => {
        await keeper.send('channel:removeMember', { channelId, userId });
        return [visitor];
      }),
    () =>
      doing([], all, async () => {
        await keeper.send('member:remove', { serverId, userId });
        return [visitor];
      }),
  ];
  // Rarely public, or no visitor would be out for long.
  await random.pick([...ways, ...ways.slice(2), ...ways.slice(2)])();
  await sleep(random.int(0, 30));
}

const manyAtOnce = 20;

/** Sends a message, and notes the visitors who were out from before until it was stored: they must never receive it. */
async function say({ owner, channelId }: Place, all: Visitor[], body: string, speaker = owner) {
  const out = new Map(all.filter(({ isOut }) => isOut).map((one) => [one, one.joins]));
  await speaker.send('message:send', { timelineId: channelId, body });
  for (const [visitor, joins] of out)
    if (visitor.isOut && visitor.joins === joins) visitor.never.set(body, joins);
}

function listening(person: Person): Visitor {
  const visitor = {
    person,
    isOut: true,
    joins: 0,
    coming: 0,
    never: new Map(),
    received: new Map(),
  };
  person.socket.on('changes', ({ changes }) => {
    for (const change of changes)
      if ('message' in change) visitor.received.set(change.message.body, visitor.joins);
  });
  return visitor;
}

const countReceived = (visitors: readonly Visitor[]) =>
  visitors.reduce((sum, visitor) => sum + visitor.received.size, 0);

describeTopologies(
  `a private channel, with LAW_SEED=${lawSeed}`,
  (topology) => {
    it('reaches nobody outside it, during random actions of many people at once', async () => {
      const random = lawRandom();
      const place = await openPlace(topology());
      const people = await Promise.all(Array.from({ length: 6 }, () => topology().person()));
      const visitors = people.map(listening);
      const speakers = [place.owner, await topology().elsewhere(place.owner)];
      // All visitors are out here. Later, chance decides who is out, and for how long.
      await say(place, visitors, 'before all of it');
      const saying: Promise<void>[] = [];
      let [isOver, underWay] = [false, 0];
      const talking = setInterval(() => {
        // A slow machine would refuse messages that wait too long behind others.
        if (underWay === manyAtOnce) return;
        underWay += 1;
        const body = `said ${saying.length}`;
        const said = say(place, visitors, body, speakers[saying.length % 2]);
        saying.push(said.finally(() => (underWay -= 1)));
      }, 10);
      const trying = visitors.map(async ({ person }) => {
        while (!isOver) {
          await person.send('channel:join', { channelId: place.channelId }).catch(refused);
          await sleep(random.int(5, 40));
        }
      });
      const disturbing = Array.from({ length: 3 }, async () => {
        // Continue until a visitor has received a message, because otherwise the law checks nothing.
        for (let i = 0; i < atLength(15, 50) || countReceived(visitors) === 0; i += 1)
          await disturb(random, place, visitors);
      });
      await Promise.all(disturbing).finally(() => clearInterval(talking));
      isOver = true;
      await Promise.all([...saying, ...trying]);
      // Late messages have arrived by then.
      await sleep(1_000);
      for (const { received, never } of visitors) {
        const leaked = [...received].filter(([body, joins]) => never.get(body) === joins);
        expect(leaked).to.deep.equal([]);
      }
      const never = visitors.reduce((sum, visitor) => sum + visitor.never.size, 0);
      expect(never, 'they were out at times').to.be.above(0);
      expect(countReceived(visitors), 'and in at times').to.be.above(0);
    });
  },
  allTopologies,
);

function refused(error: unknown): never[] {
  const { code } = error as { code?: string };
  if (!['forbidden', 'not_found', 'conflict'].includes(code ?? '')) throw error;
  return [];
}
