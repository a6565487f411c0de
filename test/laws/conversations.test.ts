import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { allTopologies, describeTopologies, type Topology } from '../support/topologies.ts';
import { atLength } from '../support/length.ts';

const peopleOf = async (topology: Topology, count: number): Promise<Person[]> => {
  const people: Person[] = [];
  for (let i = 0; i < count; i += 1) people.push(await topology.person());
  return people;
};

const start = async (one: Person, other: Person) =>
  (await one.send('conversation:create', { userIds: [other.id], id: v7() })).conversation.id;

async function writeUntilRefused(person: Person, timelineId: string): Promise<string> {
  for (;;) {
    const said = person.send('message:send', { timelineId, body: 'x' });
    const error = await said.then(
      () => undefined,
      (refused: unknown) => refused as { code: string },
    );
    if (error !== undefined) return error.code;
  }
}

async function lastIn(person: Person, timelineId: string): Promise<number> {
  const { messages } = await person.send('message:list', { timelineId, limit: 1 });
  return messages[0]?.position ?? 0;
}

describeTopologies(
  `conversations, with LAW_SEED=${lawSeed}`,
  (topology) => {
    it('started by two people at once, from both sides and on every device, are one, for every pair', async () => {
      const people = await peopleOf(topology(), atLength(5, 11));
      const others: Person[] = [];
      for (const person of people) others.push(await topology().elsewhere(person));
      const mirror = new Mirror(people[0]!);
      for (const [i, ann] of people.entries())
        for (const [j, ben] of people.entries()) {
          if (j <= i) continue;
          const started = await Promise.all([
            ...[ann, others[i]!].map((one) => start(one, ben)),
            ...[ben, others[j]!].map((one) => start(one, ann)),
          ]);
          expect([...new Set(started)]).to.have.length(1);
        }
      for (const person of people) {
        const { conversations } = await person.send('conversation:list', {});
        expect(conversations).to.have.length(people.length - 1);
        // Both sides started it, so it is hidden for neither.
        for (const { hiddenUntil } of conversations) expect(hiddenUntil).to.equal(null);
      }
      await mirror.becomesTrue();
    });

    it('accept no message after a block that is made while both write, race after race', async () => {
      const random = lawRandom();
      const [ann] = (await peopleOf(topology(), 1)) as [Person];
      const other = await topology().elsewhere(ann);
      const ben = await topology().person();
      const timelineId = await start(ann, ben);
      for (let race = 0; race < atLength(8, 30); race += 1) {
        const writing = [ann, other, ben].map((person) => writeUntilRefused(person, timelineId));
        await sleep(random.int(0, 15));
        await ben.send('block:create', { userId: ann.id });
        const last = await lastIn(ann, timelineId);
        expect(await Promise.all(writing)).to.deep.equal(['forbidden', 'forbidden', 'forbidden']);
        expect(await lastIn(ann, timelineId)).to.equal(last);
        await ben.send('block:delete', { userId: ann.id });
      }
    });

    it('are deleted when everyone leaves at once, and stay in nobody’s list', async () => {
      const people = await peopleOf(topology(), 5);
      const [founder, ...others] = people as [Person, ...Person[]];
      const mirrors = people.map((person) => new Mirror(person));
      for (let round = 0; round < 5; round += 1) {
        const userIds = others.map(({ id }) => id);
        const { conversation } = await founder.send('conversation:create', { userIds });
        await founder.send('message:send', { timelineId: conversation.id, body: 'Goodbye' });
        const which = { conversationId: conversation.id };
        await Promise.all(people.map((person) => person.send('conversation:delete', which)));
        const left = await query(topology().nodes[0].db, 'select id from rooms where id = $1', [
          conversation.id,
        ]);
        expect(left).to.deep.equal([]);
      }
      for (const mirror of mirrors) await mirror.becomesTrue();
      for (const mirror of mirrors)
        expect(mirror.state(mirror.userRoom)?.conversations).to.deep.equal([]);
    });

    it('end in the state that everyone sees, after people are added and removed at once', async () => {
      const people = await peopleOf(topology(), 6);
      const [founder, second, ...rest] = people as [Person, Person, ...Person[]];
      const mirrors = people.map((person) => new Mirror(person));
      const userIds = [second.id, rest[0]!.id];
      const { conversation } = await founder.send('conversation:create', { userIds });
      const conversationId = conversation.id;
      for (let round = 0; round < atLength(4, 10); round += 1)
        await Promise.all([
          ...rest.map(({ id }) =>
            second.send('conversation:update', { conversationId, addUserIds: [id] }),
          ),
          ...rest.map(({ id }) =>
            founder.send('conversation:update', { conversationId, removeUserIds: [id] }),
          ),
          founder.send('conversation:update', { conversationId, name: `Round ${round}` }),
        ]);
      for (const mirror of mirrors) await mirror.becomesTrue();
      const { conversations } = await founder.send('conversation:list', {});
      const { participantIds } = conversations[0]!;
      for (const mirror of mirrors)
        expect(mirror.state(mirror.userRoom)?.conversations ?? []).to.have.length(
          participantIds.includes(mirror.person.id) ? 1 : 0,
        );
    });
  },
  allTopologies,
);
