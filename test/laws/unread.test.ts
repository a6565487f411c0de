/**
 * Unread counts never drift: what a device makes of what it hears, by the client's rules, is what the
 * database says, for all devices of a person, whatever several people did.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { mentionOf } from '../../shared/mentions.ts';
import type { Badge, Badges } from '../../shared/reads.ts';
import {
  hear,
  leave,
  replace,
  unreadIn,
  type Known,
  type News,
} from '../../client/reads/badges.ts';
import type { Random } from '../support/generate.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { describeWorlds, type World } from '../support/worlds.ts';
import { atLength } from '../support/length.ts';
import { until } from '../support/time.ts';

/** The badges of one device. */
class Device {
  readonly person: Person;
  readonly known: Known = new Map();

  constructor(person: Person) {
    this.person = person;
    const { socket, ready } = person;
    replace(this.known, ready.timelines, new Map(), []);
    const news = (one: News) => hear(this.known, one);
    socket.on('activity', ({ timelines }) => {
      for (const [id, activity] of Object.entries(timelines))
        news(activity === null ? { id, ended: true } : { id, came: activity.last, ...activity });
    });
    socket.on('read', ({ timelines, marks = {} }) => {
      for (const [id, read] of Object.entries(timelines)) news({ id, read });
      for (const [id, mark] of Object.entries(marks)) news({ id, mark });
    });
    socket.on('changes', ({ changes }) => {
      for (const change of changes) {
        if ('serverId' in change) leave(this.known, change.serverId);
        // Who sees a channel that became public goes on reading where they were.
        else if ('channelId' in change && change.type !== 'privateChannel:opened')
          news({ id: change.channelId, ended: true });
        if ('conversationId' in change) news({ id: change.conversationId, ended: true });
      }
    });
  }

  get unread(): Record<string, number> {
    const counts = [...this.known].map(([id, badge]) => [id, unreadIn(badge)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0).sort());
  }
}

/** In each timeline, what is unread and mentions one. */
const mentionedBy = (badges: Iterable<[string, Badge]>) =>
  Object.fromEntries(
    [...badges]
      .filter(([, { mentions }]) => mentions.length > 0)
      .map(([id, { mentions }]) => [id, mentions.toSorted((a, b) => a - b)] as const)
      .sort(),
  );

const unreadBy = (badges: Badges) =>
  Object.fromEntries(
    Object.entries(badges)
      .map(([id, badge]) => [id, unreadIn(badge)] as const)
      // Conversations are told of though they are read.
      .filter(([, count]) => count > 0)
      .sort(),
  );

describeWorlds(`what is unread, with LAW_SEED=${lawSeed}`, (world) => {
  it('is what the database says, on every device, after whatever people did', async () => {
    const random = lawRandom();
    const people = await Promise.all(Array.from({ length: 5 }, () => world().person()));
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
    const devices: Device[] = [];
    for (const person of people)
      for (const one of [await person.again(), await world().elsewhere(person)])
        devices.push(new Device(one));
    const users = devices.map(({ person }) => person);

    for (let round = 0; round < atLength(15, 40); round += 1) {
      await Promise.all(users.map((user) => act(random, user, users, place).catch(refused)));
      // Some of it is told by then.
      await sleep(random.int(0, 40));
    }
    // Whatever chance did: at the end something is unread.
    for (const other of others) await other.send('server:join', { code: invite.code });
    const [timelineId] = place.channelIds;
    await owner.send('message:send', {
      timelineId: timelineId!,
      body: others.map(({ id }) => mentionOf(id)).join(),
    });
    let [some, mentioned] = [0, 0];
    for (const device of devices) {
      const { person, known } = device;
      // The last is told at the end of a second.
      await until(
        async () => {
          world().pass(1_000);
          const fresh = await person.again();
          fresh.close();
          const { timelines } = fresh.ready;
          return isDeepStrictEqual(
            [device.unread, mentionedBy(known)],
            [unreadBy(timelines), mentionedBy(Object.entries(timelines))],
          );
        },
        () => JSON.stringify([...known]),
      );
      some += Object.keys(device.unread).length;
      mentioned += Object.keys(mentionedBy(known)).length;
    }
    expect(some, 'somebody has something unread').to.be.above(0);
    expect(mentioned, 'somebody is mentioned').to.be.above(0);
  });

  it('is nothing of one’s own words, at any moment, on any device', async () => {
    const { owner, timelineId } = await openPlace(world());
    const devices = [await owner.again(), await world().elsewhere(owner)].map(
      (person) => new Device(person),
    );
    const shown: Record<string, number>[] = [];
    for (const device of devices)
      device.person.socket.on('activity', () => shown.push(device.unread));
    for (let i = 0; i < 20; i += 1) await owner.send('message:send', { timelineId, body: 'x' });
    for (const { person } of devices)
      await person.hears('activity', ({ timelines }) => timelines[timelineId]?.last === 20);
    expect(shown).to.not.deep.equal([]);
    expect(shown.filter((unread) => unread[timelineId] !== undefined)).to.deep.equal([]);
  });

  it('is nothing on any device once it was read on one', async () => {
    const { owner, timelineId, code } = await openPlace(world());
    const reader = await world().person();
    await reader.send('server:join', { code });
    const device = new Device(await world().elsewhere(reader));
    await owner.send('message:send', { timelineId, body: 'x' });
    await device.person.hears('activity', ({ timelines }) => timelineId in timelines);
    expect(device.unread).to.deep.equal({ [timelineId]: 1 });
    await reader.send('read:update', { timelineId, position: 1 });
    await device.person.hears('read', ({ timelines }) => timelines[timelineId] === 1);
    expect(device.unread).to.deep.equal({});
  });

  it('is nothing that was said before one came in, though it be told afterwards', async () => {
    const { owner, timelineId, code } = await openPlace(world());
    const newcomer = await world().person();
    const device = new Device(await world().elsewhere(newcomer));
    // The second is told at the end of a second.
    for (let i = 0; i < 2; i += 1) await owner.send('message:send', { timelineId, body: 'x' });
    await newcomer.send('server:join', { code });
    await device.person.hears('activity', ({ timelines }) => timelines[timelineId]?.last === 2);
    expect(device.unread).to.deep.equal({});
  });

  it('is nothing in a conversation that one hides, on any device, until something newer', async () => {
    const { writer, reader, device, conversationId } = await openPair(world());
    const say = () => writer.send('message:send', { timelineId: conversationId, body: 'x' });
    const hears = (last: number) =>
      device.person.hears('activity', ({ timelines }) => timelines[conversationId]?.last === last);
    await say();
    await hears(1);
    expect(device.unread).to.deep.equal({ [conversationId]: 1 });
    // What is a request still would be ignored, not hidden.
    await reader.send('conversation:accept', { conversationId });
    await reader.send('conversation:delete', { conversationId });
    await device.person.hears('read', ({ timelines }) => timelines[conversationId] === 1);
    expect(device.unread).to.deep.equal({});
    await say();
    await hears(2);
    expect(device.unread).to.deep.equal({ [conversationId]: 1 });
  });

  it('is nothing in a channel that is no more, though something was still to be told of it', async () => {
    const { owner, serverId, timelineId, code } = await openPlace(world());
    const member = await world().person();
    await member.send('server:join', { code });
    const device = new Device(await world().elsewhere(member));
    const { channel } = await owner.send('channel:create', { serverId, name: 'brief' });
    for (let i = 0; i < 2; i += 1)
      await owner.send('message:send', { timelineId: channel.id, body: 'x' });
    await owner.send('channel:delete', { channelId: channel.id });
    world().pass(1_000);
    await owner.send('message:send', { timelineId, body: 'x' });
    await device.person.hears('activity', ({ timelines }) => timelineId in timelines);
    await member.send('read:update', { timelineId, position: 1 });
    await device.person.hears('read', ({ timelines }) => timelines[timelineId] === 1);
    expect(device.unread).to.deep.equal({});
  });
});

/** A pair, and somebody's device who has not opened it. */
async function openPair(world: World) {
  const [writer, reader] = [await world.person(), await world.person()];
  const { conversation } = await writer.send('conversation:create', { userIds: [reader.id] });
  const device = new Device(await world.elsewhere(reader));
  return { writer, reader, device, conversationId: conversation.id };
}

async function openPlace(world: World) {
  const owner = await world.person();
  const { server } = await owner.send('server:create', { name: 'Told' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  const { id: serverId, defaultChannelId: timelineId } = server;
  return { owner, serverId, timelineId, code: invite.code };
}

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
  return random.pick(random.chance(0.85) ? often : seldom)();
}

function refused(error: unknown) {
  const { code } = error as { code?: string };
  if (!['forbidden', 'not_found', 'conflict'].includes(code ?? '')) throw error;
}
