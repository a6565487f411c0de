/** What a device derives from its events by the client's rules equals the database, after any actions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { mentionOf } from '../../shared/mentions.ts';
import type { Badges } from '../../shared/reads.ts';
import { BadgeDevice, mentionedBy, unreadBy } from '../support/badge-device.ts';
import type { Random } from '../support/generate.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { describeTopologies } from '../support/topologies.ts';
import { atLength } from '../support/length.ts';
import { until } from '../support/time.ts';

describeTopologies(`unread state, with LAW_SEED=${lawSeed}`, (topology) => {
  it('matches the database on every device, after random actions', async () => {
    const random = lawRandom();
    const people = await Promise.all(Array.from({ length: 5 }, () => topology().person()));
    const [owner, ...others] = people as [Person, ...Person[]];
    const { server } = await owner.send('server:create', { name: 'Counted' });
    const { invite } = await owner.send('invite:create', { serverId: server.id });
    const place = {
      serverId: server.id,
      code: invite.code,
      channelIds: [server.defaultChannelId],
      conversationIds: [],
    };
    for (const other of others) await other.send('server:join', { code: invite.code });
    const devices: BadgeDevice[] = [];
    for (const person of people)
      for (const one of [await person.newTab(), await topology().elsewhere(person)])
        devices.push(new BadgeDevice(one));
    const users = devices.map(({ person }) => person);

    for (let round = 0; round < atLength(15, 40); round += 1) {
      await Promise.all(users.map((user) => act(random, user, users, place).catch(refused)));
      await sleep(random.int(0, 40));
    }
    // Ensures that something is unread in the end.
    for (const other of others) await other.send('server:join', { code: invite.code });
    const [timelineId] = place.channelIds;
    await owner.send('message:send', {
      timelineId: timelineId!,
      body: others.map(({ id }) => mentionOf(id)).join(),
    });
    let [some, mentioned] = [0, 0];
    for (const device of devices) {
      const { person, known } = device;
      let timelines: Badges = {};
      // The last message is announced at the end of a second.
      await until(
        async () => {
          topology().pass(1_000);
          const fresh = await person.newTab();
          fresh.close();
          ({ timelines } = fresh.ready);
          return isDeepStrictEqual(
            [device.unread, mentionedBy(known)],
            [unreadBy(timelines), mentionedBy(Object.entries(timelines))],
          );
        },
        () => JSON.stringify({ known: Object.fromEntries(known), timelines }),
      );
      some += Object.keys(device.unread).length;
      mentioned += Object.keys(mentionedBy(known)).length;
    }
    expect(some, 'somebody has something unread').to.be.above(0);
    expect(mentioned, 'somebody is mentioned').to.be.above(0);
  });
});

interface Place {
  serverId: string;
  code: string;
  channelIds: string[];
  conversationIds: string[];
}

async function act(random: Random, me: Person, people: Person[], place: Place): Promise<unknown> {
  const { serverId, code, channelIds, conversationIds } = place;
  const timelineId = random.pick([...channelIds, ...conversationIds]);
  const conversationId = timelineId;
  const userId = random.pick(people).id;
  const body = () =>
    random.pick(['x', mentionOf(userId), `${mentionOf(userId)} and ${mentionOf(me.id)}`]);
  const say = () => me.send('message:send', { timelineId, body: body() });
  const read = async () => {
    const { messages } = await me.send('message:list', { timelineId, limit: 5 });
    if (messages.length === 0) return;
    const { position } = random.pick(messages);
    await me.send('read:update', { timelineId, position });
  };
  const mark = () => me.send('read:mark', { timelineId, position: random.int(1, 5) });
  const unmark = () => me.send('read:mark', { timelineId, position: null });
  const often: (() => Promise<unknown>)[] = [say, say, say, read, read, mark, unmark];
  const seldom: (() => Promise<unknown>)[] = [
    () => me.send('server:join', { code }),
    () => me.send('server:leave', { serverId }),
    () => me.send('member:remove', { serverId, userId }),
    async () => {
      const { channel } = await me.send('channel:create', { serverId, name: 'more' });
      channelIds.push(channel.id);
    },
    async () => {
      const { messages } = await me.send('message:list', { timelineId, limit: 5 });
      if (messages.length === 0) return;
      await me.send('message:delete', { messageId: random.pick(messages).id });
    },
    async () => {
      const { messages } = await me.send('message:list', { timelineId, limit: 5 });
      const mine = messages.find(({ authorId }) => authorId === me.id);
      if (mine) await me.send('message:edit', { messageId: mine.id, body: body() });
    },
    () => me.send('channel:delete', { channelId: timelineId }),
    () => me.send('channel:update', { channelId: timelineId, private: true, userIds: [userId] }),
    () => me.send('channel:update', { channelId: timelineId, private: false }),
    () => me.send('channel:addMember', { channelId: timelineId, userId }),
    () => me.send('channel:removeMember', { channelId: timelineId, userId }),
    async () => {
      const userIds = [userId, random.pick(people).id];
      if (userIds.every((id) => id === me.id)) return;
      const { conversation } = await me.send('conversation:create', { userIds });
      if (!conversationIds.includes(conversation.id)) conversationIds.push(conversation.id);
    },
    // Hides a pair, leaves a group.
    () => me.send('conversation:delete', { conversationId }),
    () => me.send('conversation:update', { conversationId, addUserIds: [userId] }),
    () => me.send('conversation:update', { conversationId, removeUserIds: [userId] }),
  ];
  return random.pick(random.chance(0.5) ? often : seldom)();
}

function refused(error: unknown) {
  const { code } = error as { code?: string };
  if (!['forbidden', 'not_found', 'conflict'].includes(code ?? '')) throw error;
}
