import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Message } from '../../shared/messages.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { addPage, merge, newest, type TimelineWindow } from '../../client/messages/window.ts';
import { withTableLock } from '../support/table-lock.ts';
import { expectOnceInOrder, Mirror } from '../support/mirror.ts';
import { connectAs, type Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { allTopologies, describeTopologies, type Topology } from '../support/topologies.ts';
import { atLength } from '../support/length.ts';

async function openPlace(topology: Topology, count: number, open = channelOf) {
  const people: Person[] = [];
  for (let i = 0; i < count; i += 1) people.push(await topology.person());
  return { people, timelineId: await open(people) };
}

type Open = (people: Person[]) => Promise<string>;

const channelOf: Open = async (people) => {
  const [owner] = people as [Person];
  const { server } = await owner.send('server:create', { name: 'Order' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  for (const person of people) await person.send('server:join', { code: invite.code });
  return server.defaultChannelId;
};

const groupOf: Open = async (people) => {
  const [founder, ...others] = people as [Person, ...Person[]];
  const userIds = others.map(({ id }) => id);
  return (await founder.send('conversation:create', { userIds })).conversation.id;
};

const messagesIn = (mirror: Mirror, timelineId: string): Message[] =>
  ((mirror.state(timelineRoom(timelineId))?.messages ?? []) as Message[]).sort(
    (a, b) => a.position - b.position,
  );

describeTopologies(
  `one order, with LAW_SEED=${lawSeed}`,
  (topology) => {
    const places = { 'a channel': channelOf, 'a conversation': groupOf };
    const inEach = (law: string, test: (open: Open) => Promise<void>) => {
      for (const [name, open] of Object.entries(places)) it(`${law}, in ${name}`, () => test(open));
    };

    inEach('of many simultaneous messages and edits, everywhere, without a gap', async (open) => {
      const random = lawRandom();
      const { people, timelineId } = await openPlace(topology(), 6, open);
      const listeners = await Promise.all(
        people.map(async (person) => {
          const mirror = new Mirror(await topology().elsewhere(person));
          await mirror.open(timelineRoom(timelineId));
          return mirror;
        }),
      );
      const each = atLength(15, 50);
      const acks: Promise<void>[] = [];
      await Promise.all(
        people.map(async (person, sender) => {
          for (let i = 0; i < each; i += 1) {
            const { message } = await person.send('message:send', {
              timelineId,
              body: `${sender} ${i}`,
            });
            // An ack can arrive after an edit of its message.
            const later = random.int(0, 60);
            acks.push(sleep(later).then(() => listeners[sender]?.confirm(message)));
            if (random.chance(0.2))
              await person.send('message:edit', {
                messageId: message.id,
                body: `${sender} ${i} again`,
              });
          }
        }),
      );
      await Promise.all(acks);
      for (const mirror of listeners) await mirror.becomesTrue();
      const [first] = listeners as [Mirror];
      const truth = messagesIn(first, timelineId);
      expect(truth.map(({ position }) => position)).to.deep.equal(truth.map((_, i) => i + 1));
      expect(truth).to.have.length(6 * each);
      for (let sender = 0; sender < 6; sender += 1) {
        const theirs = truth.filter(({ body }) => body.startsWith(`${sender} `));
        expect(theirs.map(({ body }) => body.split(' ')[1])).to.deep.equal(
          theirs.map((_, i) => `${i}`),
        );
      }
      for (const mirror of listeners) {
        expect(messagesIn(mirror, timelineId)).to.deep.equal(truth);
        const received = mirror.changes.filter(({ type }) => type.startsWith('message'));
        expectOnceInOrder(received);
      }
    });
  },
  allTopologies,
);

describeTopologies('a message', (topology) => {
  it('is stored once if its id is sent twenty times at once, on two sockets', async () => {
    const { people, timelineId } = await openPlace(topology(), 2);
    const [ann, ben] = people as [Person, Person];
    const other = await topology().elsewhere(ann);
    const listener = new Mirror(ben);
    await listener.open(timelineRoom(timelineId));
    for (let round = 0; round < 5; round += 1) {
      const id = v7();
      const acks = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 === 0 ? ann : other).send('message:send', { timelineId, id, body: 'once' }),
        ),
      );
      for (const { message } of acks) expect(message).to.deep.equal(acks[0]?.message);
      expect(acks[0]?.message.position).to.equal(round + 1);
    }
    await listener.becomesTrue();
    expect(messagesIn(listener, timelineId)).to.have.length(5);
  });

  it('gets concurrent edits one after the other', async () => {
    const { people, timelineId } = await openPlace(topology(), 2);
    const [ann, ben] = people as [Person, Person];
    const devices = [ann, await topology().elsewhere(ann)];
    const listener = new Mirror(ben);
    await listener.open(timelineRoom(timelineId));
    const { message } = await ann.send('message:send', { timelineId, body: 'first' });
    const edits = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        devices[i % 2]!.send('message:edit', { messageId: message.id, body: `${i}` }),
      ),
    );
    const inOrder = edits
      .map((edit) => edit.message)
      .sort((one, other) => one.version - other.version);
    expect(inOrder.map(({ version }) => version)).to.deep.equal(inOrder.map((_, i) => i + 2));
    await listener.becomesTrue();
    expect(messagesIn(listener, timelineId)).to.deep.equal(inOrder.slice(-1));
  });

  it('reaches a person who joins while an older read is still under way', async () => {
    const { people, timelineId } = await openPlace(topology(), 3);
    const [ann, ben, cem] = people as [Person, Person, Person];
    const late = new Mirror(await connectAs(ben.url, cem.cookie));
    await ann.send('message:send', { timelineId, body: 'before' });
    // The first request has read the messages when it blocks on reading `users`.
    const { entering, opening } = await withTableLock(
      topology().nodes[0].where,
      'users',
      'access exclusive',
      async (blocked) => {
        const entering = ben.send('channel:join', { channelId: timelineId });
        await blocked();
        await ann.send('message:send', { timelineId, body: 'meanwhile' });
        await ben.waitFor('changes', ({ room }) => room === timelineRoom(timelineId));
        const opening = late.open(timelineRoom(timelineId));
        await blocked(2);
        return { entering, opening };
      },
    );
    await Promise.all([entering, opening]);
    expect(messagesIn(late, timelineId).map(({ body }) => body)).to.deep.equal([
      'before',
      'meanwhile',
    ]);
  });

  it('keeps an edit that arrives while an older page is under way', async () => {
    const { people, timelineId } = await openPlace(topology(), 2);
    const [ann, ben] = people as [Person, Person];
    await ben.send('channel:join', { channelId: timelineId });
    const sent: Message[] = [];
    for (let i = 0; i < 6; i += 1)
      sent.push((await ann.send('message:send', { timelineId, body: `${i}` })).message);
    const { where } = topology().nodes[0];
    let held: TimelineWindow<Message> = newest(sent.slice(3));
    const meanwhile: Message[] = [];
    ben.socket.on('changes', ({ room, changes }) => {
      if (room !== timelineRoom(timelineId)) return;
      const rows = changes.flatMap((change) => ('message' in change ? [change.message] : []));
      meanwhile.push(...rows);
      held = merge(held, rows);
    });
    // The page has been read when the request blocks on reading `users`.
    const { listed } = await withTableLock(where, 'users', 'access exclusive', async (blocked) => {
      const listed = ben.send('message:list', { timelineId, before: 4, limit: 3 });
      await blocked();
      await ann.send('message:edit', { messageId: sent[1]!.id, body: 'edited' });
      await ann.send('message:delete', { messageId: sent[4]!.id });
      await ben.waitFor('changes', ({ changes }) =>
        changes.some(({ type }) => type === 'message:deleted'),
      );
      return { listed };
    });
    const page = await listed;
    expect(page.messages.map(({ body }) => body)).to.deep.equal(['0', '1', '2']);
    const whole = ['0', 'edited', '2', '3', '', '5'];
    const bodies = ({ rows }: TimelineWindow<Message>) => rows.map(({ body }) => body);
    expect(bodies(addPage(held, page, meanwhile))).to.deep.equal(whole);
    expect(bodies(merge(addPage(held, page), meanwhile))).to.deep.equal(whole);
    const later = await ben.send('message:list', { timelineId, before: 4, limit: 3 });
    expect(bodies(addPage(held, later, meanwhile))).to.deep.equal(whole);
  });
});
