/** Both sides agree after any concurrent requests, answers, withdrawals and blocks; nothing is left across a block. */
import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import type { Block } from '../../shared/blocks.ts';
import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import type { Random } from '../support/generate.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { allTopologies, describeTopologies } from '../support/topologies.ts';
import { atLength } from '../support/length.ts';

interface Held {
  friendships: Friendship[];
  friendRequests: FriendRequest[];
  blocks: Block[];
}

describeTopologies(
  `ties of two people are the same on both sides, with LAW_SEED=${lawSeed}`,
  (topology) => {
    it('after random actions of several of them at once', async () => {
      const random = lawRandom();
      const people = await Promise.all(Array.from({ length: 5 }, () => topology().person()));
      const devices = await Promise.all(
        people.map(async (person) => [person, await topology().elsewhere(person)] as const),
      );
      const mirrors = devices.flatMap((pair) => pair.map((device) => new Mirror(device)));
      const ids: string[] = [];
      for (let round = 0; round < atLength(15, 50); round += 1)
        await Promise.all(
          devices.flatMap((pair) =>
            pair.map((device) => act(random, device, people, ids).catch(refused)),
          ),
        );
      for (const mirror of mirrors) await mirror.becomesTrue();

      const held = new Map(
        mirrors.map((mirror) => [
          mirror.person.id,
          mirror.state(mirror.userRoom) as unknown as Held,
        ]),
      );
      const declines = await query<{ pair: string }>(
        topology().nodes[0].db,
        `select sender_id || ' ' || recipient_id as pair from declines`,
      );
      const declined = new Set(declines.map(({ pair }) => pair));
      for (const one of people)
        for (const other of people) if (one !== other) agree(held, one.id, other.id, declined);
    });
  },
  allTopologies,
);

async function act(random: Random, me: Person, people: Person[], ids: string[]): Promise<unknown> {
  const userId = random.pick(people.filter(({ id }) => id !== me.id)).id;
  const requestId = ids.length > 0 ? random.pick(ids.slice(-12)) : v7();
  const ask = async () => {
    const id = v7();
    ids.push(id);
    await me.send('friendRequest:create', { userId, id });
  };
  const accept = () => me.send('friendRequest:update', { requestId, status: 'accepted' });
  return random.pick<() => Promise<unknown>>([
    ask,
    ask,
    ask,
    accept,
    accept,
    () => me.send('friendship:create', { userId }),
    () => me.send('friendRequest:update', { requestId, status: 'declined' }),
    () => me.send('friendRequest:update', { requestId, note: `${random.int(0, 9)}` }),
    () => me.send('friendRequest:delete', { requestId }),
    () => me.send('friendship:update', { friendshipId: requestId, nickname: 'Nick' }),
    () => me.send('friendship:delete', { friendshipId: requestId }),
    () => me.send('block:create', { userId }),
    () => me.send('block:delete', { userId }),
    () => me.send('block:delete', { userId }),
  ])();
}

function agree(held: Map<string, Held>, one: string, other: string, declined: Set<string>) {
  const [mine, theirs] = [between(held.get(one), other), between(held.get(other), one)];
  expect(mine.friendships).to.deep.equal(theirs.friendships);
  expect(mine.friendships).to.have.lengthOf.at.most(1);
  const theirIds = theirs.requests.map(({ id }) => id);
  for (const { id, senderId } of mine.requests) {
    // A declined request is visible to its sender alone.
    const alone = senderId === one && declined.has(`${one} ${other}`);
    if (!alone) expect(theirIds).to.include(id);
  }
  const requests = new Set([...theirIds, ...mine.requests.map(({ id }) => id)]);
  expect(requests.size, 'never one each way').to.be.at.most(1);
  const ties = mine.friendships.length + requests.size;
  expect(ties, 'friends ask no more').to.be.at.most(1);
  if (mine.blocked || theirs.blocked) expect(ties, 'nothing is left across a block').to.equal(0);
}

function between(held: Held | undefined, other: string) {
  const { friendships = [], friendRequests = [], blocks = [] } = held ?? {};
  return {
    friendships: friendships.filter(({ userId }) => userId === other).map(({ id }) => id),
    requests: friendRequests.filter(
      ({ senderId, recipientId }) => senderId === other || recipientId === other,
    ),
    blocked: blocks.some(({ userId }) => userId === other),
  };
}

function refused(error: unknown) {
  const { code } = error as { code?: string };
  if (!['forbidden', 'not_found', 'conflict'].includes(code ?? '')) throw error;
}
