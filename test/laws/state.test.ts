/** The first law, for every type of change, by any person, on any node. */
import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Message } from '../../shared/messages.ts';
import type { Input } from '../../shared/protocol.ts';
import { serverRoom, timelineRoom, type ChangeType } from '../../shared/rooms.ts';
import type { Random } from '../support/generate.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { allTopologies, largeServers, describeTopologies, parted } from '../support/topologies.ts';
import { storePicture } from '../support/files.ts';
import { atLength } from '../support/length.ts';

/** Every type of change must occur. A new type does not compile until it is listed here. */
const every: Record<ChangeType, true> = {
  'server:joined': true,
  'server:updated': true,
  'server:left': true,
  'server:removed': true,
  'server:deleted': true,
  'transfer:created': true,
  'transfer:deleted': true,
  'taskCount:updated': true,
  'taskCount:deleted': true,
  'privateChannel:joined': true,
  'privateChannel:updated': true,
  'privateChannel:left': true,
  'privateChannel:removed': true,
  'privateChannel:deleted': true,
  'privateChannel:opened': true,
  'category:created': true,
  'category:updated': true,
  'category:deleted': true,
  'emoji:created': true,
  'emoji:deleted': true,
  'role:created': true,
  'role:updated': true,
  'role:deleted': true,
  'channel:created': true,
  'channel:updated': true,
  'channel:closed': true,
  'channel:opened': true,
  'channel:deleted': true,
  'member:joined': true,
  'member:updated': true,
  'member:left': true,
  'member:removed': true,
  'member:unlisted': true,
  'message:created': true,
  'message:updated': true,
  'message:deleted': true,
  'conversation:created': true,
  'conversation:updated': true,
  'conversation:left': true,
  'conversation:removed': true,
  'friendRequest:created': true,
  'friendRequest:updated': true,
  'friendRequest:deleted': true,
  'friendship:created': true,
  'friendship:updated': true,
  'friendship:deleted': true,
  'block:created': true,
  'block:deleted': true,
  'notificationSetting:updated': true,
  'notificationSetting:deleted': true,
  'sidebarList:updated': true,
};

/** Collected over all topologies, because a node that misses messages can bring some changes only by snapshots. */
const seen = new Set<ChangeType>();

describeTopologies(
  `old state plus changes is fresh state, with LAW_SEED=${lawSeed}`,
  (topology) => {
    it('after random actions of many people at once', async () => {
      const random = lawRandom();
      const people = await Promise.all(Array.from({ length: 6 }, () => topology().person()));
      const mirrors = people.map((person) => new Mirror(person));
      const { db } = topology().nodes[0];
      const pictureOf = (by: Person) => storePicture(db, by.id, 'emoji');
      const place = await openPlace(people, pictureOf);
      for (const mirror of mirrors) await enterAll(mirror, place);

      const comeLate = async (person: Person) => {
        const late = new Mirror(await person.newTab());
        mirrors.push(late);
        await enterAll(late, place);
      };

      const openWithSaved = async (person: Person, earlier: Mirror) => {
        const next = new Mirror(await person.newTab(), undefined, earlier);
        mirrors.push(next);
        await enterAll(next, place);
      };

      for (let round = 0; round < atLength(20, 60); round += 1) {
        await Promise.all(
          people.map(async (person, i) => {
            await act(random, person, people, place).catch(refused);
            if (random.chance(0.2)) await enterAll(mirrors[i]!, place);
            if (random.chance(0.03)) await comeLate(person);
            if (random.chance(0.03)) await openWithSaved(person, mirrors[i]!);
          }),
        );
      }
      await everyEnd(people, mirrors, pictureOf);
      for (const mirror of mirrors) await mirror.becomesTrue();
      for (const mirror of mirrors) for (const { type } of mirror.changes) seen.add(type);
    });
  },
  {
    ...allTopologies,
    'on two nodes, in large servers': largeServers,
    'on two nodes, in parts': parted,
  },
);

describe('the changes received', () => {
  it('cover every type of change', () => {
    expect([...seen]).to.have.members(Object.keys(every));
  });
});

interface Place {
  serverId: string;
  code: string;
  categoryIds: string[];
  emojiIds: string[];
  roleIds: string[];
  picture: (by: Person) => Promise<string>;
  channelIds: string[];
  conversationIds: string[];
  messageIds: string[];
  /** Also the ids of friendships: a friendship has the id of its request. */
  requestIds: string[];
}

async function openPlace([owner, ...others]: Person[], picture: Place['picture']): Promise<Place> {
  const { server } = await owner!.send('server:create', { name: 'Lawful' });
  const { invite } = await owner!.send('invite:create', { serverId: server.id });
  for (const other of others) await other.send('server:join', { code: invite.code });
  const channelIds = [server.defaultChannelId];
  const nothingYet = {
    ...{
      categoryIds: [],
      emojiIds: [],
      roleIds: [],
      conversationIds: [],
      messageIds: [],
      requestIds: [],
    },
  };
  return { serverId: server.id, code: invite.code, channelIds, picture, ...nothingYet };
}

/** The timeline of each message, and the messages that report an action (those with a `kind`). */
const saidIn = new Map<string, string>();
const lineIds = new Set<string>();

/** Opens all rooms that are not open yet, as a client does after reconnecting or for a new channel. */
async function enterAll(mirror: Mirror, { serverId, channelIds, conversationIds }: Place) {
  const rooms = [serverRoom(serverId), ...[...channelIds, ...conversationIds].map(timelineRoom)];
  for (const room of rooms)
    if (!mirror.rooms.includes(room)) await mirror.open(room).catch(refused);
}

async function act(random: Random, me: Person, people: Person[], place: Place): Promise<unknown> {
  const { serverId, code, categoryIds, channelIds, conversationIds, messageIds, requestIds } =
    place;
  const userId = random.pick(people).id;
  const channelId = random.pick(channelIds);
  const categoryId = categoryIds.length > 0 ? random.pick(categoryIds) : v7();
  const position = random.int(0, 5);
  const roleId = place.roleIds.length > 0 ? random.pick(place.roleIds) : v7();
  const messageId = messageIds.length > 0 ? random.pick(messageIds) : v7();
  const requestId = requestIds.length > 0 ? random.pick(requestIds) : v7();
  const name = `n${random.int(0, 9)}`;
  const conversationId = conversationIds.length > 0 ? random.pick(conversationIds) : v7();
  const keep = ({ id, timelineId }: Message) => {
    messageIds.push(id);
    saidIn.set(id, timelineId);
  };
  const send = async (timelineId = channelId) => {
    keep((await me.send('message:send', { timelineId, body: name })).message);
  };
  const reply = async () => {
    const timelineId = saidIn.get(messageId);
    if (timelineId === undefined) return;
    const wanted = { timelineId, body: name, replyTo: messageId, notify: random.chance(0.5) };
    const sent = await me.send('message:send', wanted).catch((error: unknown) => {
      const isLine = lineIds.has(messageId) && (error as { code?: string }).code === 'invalid';
      if (!isLine) throw error;
    });
    if (sent) keep(sent.message);
  };
  const react = () =>
    me.send('message:react', {
      ...{ messageId, emoji: random.pick(['👍', '👎', '❤️']), on: random.chance(0.7) },
    });
  const pin = async () => {
    await me.send('message:pin', { messageId, on: random.chance(0.7) });
    const timelineId = saidIn.get(messageId);
    if (timelineId === undefined) return;
    // The line that reports the pin cannot be pinned or replied to, and no other person can delete it.
    const { messages } = await me.send('message:list', { timelineId, limit: 5 });
    const line = messages.find(({ kind }) => kind !== undefined);
    if (!line) return;
    lineIds.add(line.id);
    keep(line);
  };
  const befriend = async () => {
    const id = v7();
    await me.send('friendRequest:create', { userId, id });
    requestIds.push(id);
  };
  const often: (() => Promise<unknown>)[] = [
    send,
    send,
    send,
    () => send(conversationId),
    () => send(conversationId),
    () => me.send('message:edit', { messageId, body: `${name}!` }),
    () => me.send('message:delete', { messageId }),
    reply,
    reply,
    react,
    react,
    pin,
    () => me.send('report:create', { messageId, kind: 'spam' }),
    () => me.send('joinRequest:create', { code }),
    () => me.send('joinRequest:accept', { serverId, userId }),
    () => me.send('server:join', { code }),
    () => me.send('server:join', { code }),
    () => me.send('member:update', { serverId, userId, nickname: name }),
    () => me.send('role:give', { serverId, userId, roleId }),
    () => me.send('role:take', { serverId, userId, roleId }),
    () =>
      me.send('member:update', { serverId, userId, role: random.pick(['moderator', 'member']) }),
  ];
  const seldom: (() => Promise<unknown>)[] = [
    async () => {
      const { channel } = await me.send('channel:create', { serverId, name });
      channelIds.push(channel.id);
    },
    async () => {
      const wanted = { serverId, name, private: true, userIds: [userId] };
      const { channel } = await me.send('channel:create', wanted);
      channelIds.push(channel.id);
    },
    () => me.send('report:close', { serverId, messageIds: [messageId], outcome: 'handled' }),
    () => me.send('channel:update', { channelId, private: true, userIds: [userId] }),
    () => me.send('channel:update', { channelId, private: false }),
    () => me.send('channel:addMember', { channelId, userId }),
    () => me.send('channel:removeMember', { channelId, userId }),
    async () => {
      const { category } = await me.send('category:create', { serverId, name });
      categoryIds.push(category.id);
    },
    async () => {
      const fileId = await place.picture(me);
      const { emoji } = await me.send('emoji:create', { serverId, name, fileId });
      place.emojiIds.push(emoji.id);
    },
    async () => {
      const [emojiId = v7()] = place.emojiIds.splice(0, 1);
      await me.send('emoji:delete', { serverId, emojiId });
    },
    async () => {
      const { role } = await me.send('role:create', { serverId, name, permissions: ['send'] });
      place.roleIds.push(role.id);
    },
    () => me.send('role:update', { serverId, roleId, name, position }),
    () => me.send('role:update', { serverId, roleId, permissions: ['manage channels'] }),
    () => me.send('role:delete', { serverId, roleId }),
    () => me.send('channel:update', { channelId, callerRoleIds: [roleId] }),
    () => me.send('channel:update', { channelId, viewerRoleIds: [roleId] }),
    () => me.send('channel:update', { channelId, private: true, viewerRoleIds: [roleId] }),
    () => me.send('category:update', { categoryId, name, position }),
    () => me.send('category:delete', { categoryId }),
    () => me.send('channel:update', { channelId, topic: name }),
    () => me.send('channel:update', { channelId, categoryId, position }),
    () => me.send('channel:update', { channelId, categoryId: null, position }),
    () => me.send('channel:delete', { channelId }),
    () => me.send('server:update', { serverId, name, defaultChannelId: channelId }),
    () => me.send('server:update', { serverId, approval: random.chance(0.5) }),
    () => me.send('joinRequest:decline', { serverId, userIds: [userId] }),
    () => me.send('joinRequest:cancel', { serverId }),
    () => me.send('server:leave', { serverId }),
    () => me.send('member:remove', { serverId, userId }),
    () => me.send('ban:create', { serverId, userId }),
    () => me.send('ban:delete', { serverId, userId }),
    () => me.send('server:transfer', { serverId, userId }),
    () => me.send('server:acceptTransfer', { serverId }),
    () => me.send('server:declineTransfer', { serverId }),
    async () => {
      const userIds = [userId, random.pick(people).id];
      if (userIds.every((id) => id === me.id)) return;
      const { conversation } = await me.send('conversation:create', { userIds });
      if (!conversationIds.includes(conversation.id)) conversationIds.push(conversation.id);
    },
    () => me.send('conversation:update', { conversationId, name, addUserIds: [userId] }),
    () => me.send('conversation:update', { conversationId, removeUserIds: [userId] }),
    () => me.send('conversation:delete', { conversationId }),
    befriend,
    befriend,
    () => me.send('friendRequest:update', { requestId, note: name }),
    () => me.send('friendRequest:update', { requestId, status: 'accepted' }),
    () => me.send('friendRequest:delete', { requestId }),
    () => me.send('friendship:update', { friendshipId: requestId, nickname: name }),
    () => me.send('block:create', { userId }),
    () => me.send('block:delete', { userId }),
    () => me.send('notification:set', { targetId: channelId, ...chooseNotifications(random) }),
    () => me.send('notification:set', { targetId: serverId, ...chooseNotifications(random) }),
    () => me.send('notification:set', { targetId: conversationId, ...chooseNotifications(random) }),
    () => me.send('sidebar:place', { list: 'favourites', targetId: channelId }),
    () => me.send('sidebar:place', { list: 'collapsed', targetId: categoryId }),
    () => me.send('sidebar:place', { list: 'servers', targetId: serverId }),
    () => me.send('sidebar:remove', { list: 'favourites', targetId: channelId }),
    () =>
      me.send('notification:set', {
        targetId: me.id,
        keywords: random.chance(0.5) ? [name] : null,
      }),
  ];
  return random.pick(random.chance(0.7) ? often : seldom)();
}

function chooseNotifications(random: Random) {
  return random.pick<Omit<Input<'notification:set'>, 'targetId'>>([
    { level: random.pick(['all', 'mentions', 'nothing', null]) },
    { muted: random.pick([{}, { until: '2030-01-01T00:00:00.000Z' }, null]) },
    { exempt: random.chance(0.5) },
    { hidden: random.chance(0.5) },
    { level: null, muted: null, exempt: false },
  ]);
}

/** Does everything once that chance can have left out, in a place that ends while people are in it. */
async function everyEnd(
  [owner, leaver, other, ...many]: Person[],
  mirrors: Mirror[],
  pictureOf: Place['picture'],
) {
  await blockAndLift([owner!, leaver!, other!]);
  await promoteAndLeave([owner!, other!, ...many], mirrors[0]!, pictureOf);
  const place = await openPlace([owner!], pictureOf);
  await enterAll(mirrors[0]!, place);
  for (const late of [leaver!, other!]) await late.send('server:join', { code: place.code });
  for (const mirror of mirrors.slice(1, 3)) await enterAll(mirror, place);
  await everyEndOfGroups(owner!, leaver!, other!);
  const { serverId, channelIds } = place;
  const fileId = await pictureOf(owner!);
  await owner!.send('emoji:create', { serverId, name: 'brief', fileId });
  await owner!.send('emoji:delete', { serverId, emojiId: fileId });
  const { role } = await owner!.send('role:create', { serverId, name: 'brief' });
  const roleId = role.id;
  await owner!.send('role:give', { serverId, userId: other!.id, roleId });
  await owner!.send('role:update', { serverId, roleId, mark: '🐢' });
  await owner!.send('role:delete', { serverId, roleId });
  const { channel } = await owner!.send('channel:create', { serverId, name: 'brief' });
  await owner!.send('channel:update', { channelId: channel.id, topic: 'short' });
  const { category } = await owner!.send('category:create', { serverId, name: 'short' });
  const categoryId = category.id;
  await owner!.send('category:update', { categoryId, name: 'shorter' });
  await leaver!.send('sidebar:place', { list: 'collapsed', targetId: categoryId });
  await leaver!.send('sidebar:remove', { list: 'collapsed', targetId: categoryId });
  await owner!.send('channel:update', { channelId: channel.id, categoryId });
  await everyPrivacy(owner!, leaver!, serverId, channel.id);
  await owner!.send('category:delete', { categoryId });
  await owner!.send('channel:delete', { channelId: channel.id });
  await owner!.send('server:update', { serverId, name: 'Unlawful' });
  const { message } = await other!.send('message:send', { timelineId: channelIds[0]!, body: 'a' });
  const answer = { timelineId: channelIds[0]!, body: 'c', replyTo: message.id };
  await owner!.send('message:send', answer);
  await owner!.send('message:react', { messageId: message.id, emoji: '👍', on: true });
  await owner!.send('message:pin', { messageId: message.id, on: true });
  await leaver!.send('report:create', { messageId: message.id, kind: 'spam' });
  const messageIds = [message.id];
  await owner!.send('report:close', { serverId, messageIds, outcome: 'dismissed' });
  await other!.send('message:edit', { messageId: message.id, body: 'b' });
  await other!.send('message:delete', { messageId: message.id });
  await other!.send('member:update', { serverId, userId: other!.id, nickname: 'Last' });
  await owner!.send('server:transfer', { serverId, userId: leaver!.id });
  await leaver!.send('server:leave', { serverId });
  await owner!.send('member:remove', { serverId, userId: other!.id });
  await owner!.send('server:delete', { serverId });
  await everyTie(owner!, leaver!);
  await owner!.send('notification:set', { targetId: owner!.id, level: 'all' });
  await owner!.send('notification:set', { targetId: owner!.id, level: null, keywords: null });
}

async function blockAndLift(people: Person[]) {
  for (const me of people)
    for (const { id: userId } of people.filter((one) => one !== me)) {
      await me.send('block:create', { userId });
      await me.send('block:delete', { userId });
    }
}

async function everyTie(one: Person, other: Person) {
  for (const id of [v7(), v7()]) {
    await one.send('friendRequest:create', { userId: other.id, id });
    await one.send('friendRequest:update', { requestId: id, note: 'Please' });
    await other.send('friendRequest:create', { userId: one.id, id: v7() });
    const friendshipId = await friendshipWith(one, other);
    await one.send('friendship:update', { friendshipId, favourite: true });
    await other.send('friendship:delete', { friendshipId });
  }
}

/** Reads all pages, because in parts a friendship can be on a later page than the first. */
async function friendshipWith(one: Person, other: Person): Promise<string> {
  for (let after: string | undefined; ;) {
    const page = await one.send('friendship:list', after === undefined ? {} : { after });
    const found = page.friendships.find(({ userId }) => userId === other.id);
    if (found) return found.id;
    if (!page.more.after) throw new Error('They are not friends.');
    after = page.friendships.at(-1)!.id;
  }
}

async function everyPrivacy(owner: Person, other: Person, serverId: string, channelId: string) {
  const userId = other.id;
  await owner.send('channel:update', { channelId, private: true, userIds: [userId] });
  await owner.send('channel:update', { channelId, topic: 'secret' });
  await other.send('channel:removeMember', { channelId, userId });
  await owner.send('channel:addMember', { channelId, userId });
  await owner.send('channel:removeMember', { channelId, userId });
  await owner.send('channel:update', { channelId, private: false });
  const wanted = { serverId, name: 'secret', private: true, userIds: [userId] };
  const { channel } = await owner.send('channel:create', wanted);
  await owner.send('channel:delete', { channelId: channel.id });
}

/** Gives a member roles and takes them, and lets the member leave: with so many people, only these are listed. */
async function promoteAndLeave(
  [owner, other, ...many]: Person[],
  mirror: Mirror,
  pictureOf: Place['picture'],
) {
  const place = await openPlace([owner!, other!, ...many], pictureOf);
  await enterAll(mirror, place);
  const { serverId } = place;
  for (const role of ['moderator', 'member'] as const)
    await owner!.send('member:update', { serverId, userId: other!.id, role });
  const { role } = await owner!.send('role:create', { serverId, name: 'brief' });
  const given = { serverId, userId: other!.id, roleId: role.id };
  for (const act of ['give', 'take', 'give'] as const) await owner!.send(`role:${act}`, given);
  await other!.send('server:leave', { serverId });
}

async function everyEndOfGroups(founder: Person, leaver: Person, other: Person) {
  const userIds = [leaver.id, other.id];
  const { conversation } = await founder.send('conversation:create', { userIds });
  const conversationId = conversation.id;
  await other.send('conversation:update', { conversationId, name: 'Brief' });
  await leaver.send('conversation:delete', { conversationId });
  await founder.send('conversation:update', { conversationId, removeUserIds: [other.id] });
}

function refused(error: unknown) {
  const { code } = error as { code?: string };
  if (!['forbidden', 'not_found', 'conflict'].includes(code ?? '')) throw error;
}
