/**
 * A file of a visible message is served on each node to all who can read the message, and to nobody else, after any
 * actions. Files of deleted messages are served to nobody, files without a message only to their uploader.
 */
import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import { upload } from '../support/files.ts';
import type { Random } from '../support/generate.ts';
import { atLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { alone, describeTopologies, joined } from '../support/topologies.ts';
import { until } from '../support/time.ts';

interface Place {
  serverId: string;
  code: string;
  /** A channel, a private one, a group and a conversation of two. */
  timelineIds: string[];
  privateId: string;
  groupId: string;
}

interface Sent {
  id: string;
  timelineId: string;
  uploader: Person;
  bytes: Buffer;
  messageId?: string;
}

describeTopologies(
  `only readers of a message get its files, with LAW_SEED=${lawSeed}`,
  (topology) => {
    it('after random actions of many people at once', async () => {
      const random = lawRandom();
      const names = ['Owner', 'Ann', 'Ben', 'Cat', 'Outsider'];
      const people = await Promise.all(names.map((name) => topology().person(name)));
      const actors = people.slice(0, 4);
      const place = await openPlace(actors);
      const sent: Sent[] = [];
      for (let round = 0; round < atLength(12, 40); round += 1)
        await Promise.all(actors.map((me) => act(random, me, actors, place, sent).catch(refused)));

      // A ban deletes messages slice by slice.
      const { db } = topology().nodes[0];
      await until(async () => {
        topology().pass(1_000);
        return (await query(db, 'select 1 from purges')).length === 0;
      });
      const urls = new Set(topology().nodes.map(({ url }) => url));
      const tally = { read: 0, hidden: 0, deleted: 0, unnamed: 0 };
      for (const person of people) {
        const seen = await messagesSeen(person, place);
        for (const file of sent) {
          const isSeen =
            file.messageId === undefined
              ? file.uploader === person
              : seen.get(file.messageId) === 'standing';
          if (isSeen) tally.read += 1;
          else if (file.messageId === undefined) tally.unnamed += 1;
          else tally[seen.get(file.messageId) === 'deleted' ? 'deleted' : 'hidden'] += 1;
          for (const url of urls) await expectAnswer(url, person, file, isSeen);
        }
      }
      // Each kind must occur, or its expectations check nothing.
      for (const [what, times] of Object.entries(tally)) expect(times, what).to.be.above(0);
    });
  },
  { alone, 'on two nodes': joined },
);

async function openPlace([owner, ...others]: Person[]): Promise<Place> {
  const { server } = await owner!.send('server:create', { name: 'Lawful' });
  const [serverId, channelId] = [server.id, server.defaultChannelId];
  const { code } = (await owner!.send('invite:create', { serverId })).invite;
  for (const other of others) await other.send('server:join', { code });
  const userIds = others.map(({ id }) => id);
  const secret = { serverId, name: 'secret', private: true, userIds };
  const privateId = (await owner!.send('channel:create', secret)).channel.id;
  const [group, pair] = await Promise.all(
    [userIds, userIds.slice(0, 1)].map((ids) =>
      owner!.send('conversation:create', { userIds: ids }),
    ),
  );
  const groupId = group!.conversation.id;
  const timelineIds = [channelId, privateId, groupId, pair!.conversation.id];
  return { serverId, code, privateId, groupId, timelineIds };
}

async function act(
  random: Random,
  me: Person,
  people: Person[],
  place: Place,
  sent: Sent[],
): Promise<unknown> {
  const { serverId, privateId: channelId, groupId: conversationId } = place;
  const timelineId = random.pick(place.timelineIds);
  const { id: userId } = random.pick(people);
  const messageIds = sent.flatMap(({ messageId }) => messageId ?? []);
  const messageId = messageIds.length > 0 ? random.pick(messageIds) : v7();
  const send = async () => {
    const files: Sent[] = [];
    for (let i = random.int(1, 3); i > 0; i -= 1) {
      const bytes = Buffer.from(`tea ${random.int(0, 1_000_000)}`);
      const { id } = await upload(me, timelineId, bytes, 'tea.txt');
      files.push({ id, timelineId, bytes, uploader: me });
    }
    sent.push(...files);
    if (random.chance(0.2)) return;
    const named = files.map(({ id }) => ({ id }));
    const { message } = await me.send('message:send', { timelineId, files: named });
    for (const file of files) file.messageId = message.id;
  };
  /** Tries to send an own file again. A file belongs to one message at most. */
  const sendAgain = async () => {
    const own = sent.filter(({ uploader }) => uploader === me);
    if (own.length === 0) return;
    const file = random.pick(own);
    const again = { timelineId: file.timelineId, files: [{ id: file.id }] };
    const { message } = await me.send('message:send', again);
    if (file.messageId !== undefined) throw new Error('a file is in two messages');
    file.messageId = message.id;
  };
  const often = [
    ...[send, send, send, sendAgain],
    () => me.send('message:edit', { messageId, body: `cake ${random.int(0, 9)}` }),
    () => me.send('message:delete', { messageId }),
  ];
  const seldom = [
    () => me.send('channel:removeMember', { channelId, userId }),
    () => me.send('channel:addMember', { channelId, userId }),
    () => me.send('conversation:update', { conversationId, removeUserIds: [userId] }),
    () => me.send('conversation:update', { conversationId, addUserIds: [userId] }),
    () => me.send('server:leave', { serverId }),
    () => me.send('server:join', { code: place.code }),
    () => me.send('member:remove', { serverId, userId }),
    () => me.send('ban:create', { serverId, userId, deleteMessages: 600 }),
    () => me.send('ban:delete', { serverId, userId }),
  ];
  return random.pick<() => Promise<unknown>>(random.chance(0.75) ? often : seldom)();
}

async function messagesSeen(person: Person, { timelineIds }: Place) {
  const seen = new Map<string, 'standing' | 'deleted'>();
  for (const timelineId of timelineIds)
    for (let before: number | undefined; ;) {
      const where = before === undefined ? { timelineId } : { timelineId, before };
      const page = await person.send('message:list', where).catch(refused);
      for (const { id, deletedAt } of page?.messages ?? [])
        seen.set(id, deletedAt === undefined ? 'standing' : 'deleted');
      before = page?.messages[0]?.position;
      if (before === undefined || before === 1) break;
    }
  return seen;
}

async function expectAnswer(url: string, { cookie }: Person, { id, bytes }: Sent, isSeen: boolean) {
  const answer = await fetch(`${url}/files/${id}/tea.txt`, { headers: { cookie } });
  const body = Buffer.from(await answer.arrayBuffer());
  expect(answer.status, id).to.equal(isSeen ? 200 : 404);
  if (isSeen) expect(body.equals(bytes), 'its bytes').to.equal(true);
}

function refused(error: unknown): undefined {
  const { code } = error as { code?: string };
  if (!['forbidden', 'not_found', 'conflict', 'invalid'].includes(code ?? '')) throw error;
}
