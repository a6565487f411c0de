/** Unread counts in cases that the random test (unread.test.ts) seldom reaches. */
import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { mentionOf } from '../../shared/mentions.ts';
import { BadgeDevice, mentionedBy, unreadBy } from '../support/badge-device.ts';
import { until } from '../support/time.ts';
import { describeTopologies, joined, keepingBack, type Topology } from '../support/topologies.ts';

describeTopologies('unread state', (topology) => {
  it('never includes own messages, on any device', async () => {
    const { owner, timelineId } = await openPlace(topology());
    const devices = [await owner.newTab(), await topology().elsewhere(owner)].map(
      (person) => new BadgeDevice(person),
    );
    const shown: Record<string, number>[] = [];
    for (const device of devices)
      device.person.socket.on('activity', () => shown.push(device.unread));
    for (let i = 0; i < 20; i += 1) await owner.send('message:send', { timelineId, body: 'x' });
    for (const { person } of devices)
      await person.waitFor('activity', ({ timelines }) => timelines[timelineId]?.last === 20);
    expect(shown).to.not.deep.equal([]);
    expect(shown.filter((unread) => unread[timelineId] !== undefined)).to.deep.equal([]);
  });

  it('is empty on every device once read on one', async () => {
    const { owner, timelineId, code } = await openPlace(topology());
    const reader = await topology().person();
    await reader.send('server:join', { code });
    const device = new BadgeDevice(await topology().elsewhere(reader));
    await owner.send('message:send', { timelineId, body: 'x' });
    await device.person.waitFor('activity', ({ timelines }) => timelineId in timelines);
    expect(device.unread).to.deep.equal({ [timelineId]: 1 });
    await reader.send('read:update', { timelineId, position: 1 });
    await device.person.waitFor('read', ({ timelines }) => timelines[timelineId] === 1);
    expect(device.unread).to.deep.equal({});
  });

  it('excludes messages deleted before they are read, on a connected and on a new device', async () => {
    const { owner, timelineId, code } = await openPlace(topology());
    const reader = await topology().person();
    await reader.send('server:join', { code });
    const { conversation } = await owner.send('conversation:create', { userIds: [reader.id] });
    const places = [timelineId, conversation.id];
    const device = new BadgeDevice(await topology().elsewhere(reader));
    const fresh = async () => {
      const tab = await reader.newTab();
      tab.close();
      return unreadBy(tab.ready.timelines);
    };
    const isUnread = async (count: number) => {
      const right = count === 0 ? {} : Object.fromEntries(places.map((id) => [id, count]));
      await until(
        async () => {
          topology().pass(1_000);
          return [device.unread, await fresh()].every(
            (unread) => JSON.stringify(unread) === JSON.stringify(sorted(right)),
          );
        },
        () => JSON.stringify([right, device.unread]),
      );
    };
    const sorted = (counts: object) => Object.fromEntries(Object.entries(counts).sort());
    const say = (id: string) => owner.send('message:send', { timelineId: id, body: 'x' });
    const sent: string[][] = [];
    for (const id of places) {
      const ids: string[] = [];
      for (let i = 0; i < 3; i += 1) ids.push((await say(id)).message.id);
      sent.push(ids);
    }
    await isUnread(3);
    const take = async (at: number) => {
      for (const ids of sent) await owner.send('message:delete', { messageId: ids[at]! });
    };
    await take(1);
    await isUnread(2);
    await take(0);
    await isUnread(1);
    await take(2);
    await isUnread(0);
    for (const id of places) await say(id);
    await isUnread(1);
    // A mark on a deleted message marks the next one that is left.
    for (const id of places) {
      await reader.send('read:update', { timelineId: id, position: 4 });
      await reader.send('read:mark', { timelineId: id, position: 2 });
    }
    await isUnread(1);
  });

  it('excludes messages sent before joining, though their activity arrives afterwards', async () => {
    const { owner, timelineId, code } = await openPlace(topology());
    const newcomer = await topology().person();
    const device = new BadgeDevice(await topology().elsewhere(newcomer));
    // The second message within a second is announced at the end of that second.
    for (let i = 0; i < 2; i += 1) await owner.send('message:send', { timelineId, body: 'x' });
    await newcomer.send('server:join', { code });
    await device.person.waitFor('activity', ({ timelines }) => timelines[timelineId]?.last === 2);
    expect(device.unread).to.deep.equal({});
  });

  it('includes messages whose channel became private or public before their activity was sent', async () => {
    for (const isPrivate of [false, true]) {
      const { owner, serverId, timelineId, code } = await openPlace(topology());
      const [member, other] = [await topology().person(), await topology().person()];
      for (const one of [member, other]) await one.send('server:join', { code });
      const { channel } = await owner.send('channel:create', { serverId, name: 'turned' });
      const { id: channelId } = channel;
      const turn = (to: boolean) =>
        owner.send('channel:update', {
          channelId,
          private: to,
          ...(to && { userIds: [member.id] }),
        });
      if (isPrivate) await turn(true);
      const [device, others] = [
        new BadgeDevice(await topology().elsewhere(member)),
        new BadgeDevice(await topology().elsewhere(other)),
      ];
      const say = () => owner.send('message:send', { timelineId: channelId, body: 'x' });
      await say();
      await device.person.waitFor('activity', ({ timelines }) => timelines[channelId]?.last === 1);
      await say();
      await turn(!isPrivate);
      topology().pass(1_000);
      await device.person.waitFor('activity', ({ timelines }) => timelines[channelId]?.last === 2);
      expect(device.unread).to.deep.equal({ [channelId]: 2 });
      // Arrives after anything that the other person would have received.
      await owner.send('message:send', { timelineId, body: 'x' });
      await others.person.waitFor('activity', ({ timelines }) => timelineId in timelines);
      expect(others.unread).to.deep.equal({ [timelineId]: 1 });
    }
  });

  it('includes a message sent during joining', async () => {
    const owner = await topology().person();
    const { server } = await owner.send('server:create', { name: 'Entered' });
    const { invite } = await owner.send('invite:create', { serverId: server.id });
    const newcomers = await Promise.all(Array.from({ length: 12 }, () => topology().person()));
    const came = await Promise.all(
      newcomers.map(async (person) => {
        const { channel } = await owner.send('channel:create', {
          serverId: server.id,
          name: 'greeting',
        });
        return {
          person,
          timelineId: channel.id,
          device: new BadgeDevice(await topology().elsewhere(person)),
        };
      }),
    );
    await Promise.all(
      came.map(async ({ person, timelineId }) => {
        await person.send('server:join', { code: invite.code });
        await owner.send('message:send', { timelineId, body: mentionOf(person.id) });
      }),
    );
    for (const { timelineId, device } of came) {
      await until(
        () => device.unread[timelineId] === 1,
        () => JSON.stringify([...device.known]),
      );
      expect(mentionedBy(device.known)).to.deep.equal({ [timelineId]: [1] });
    }
  });

  it('is empty in a hidden conversation, on every device, until a newer message', async () => {
    const { writer, reader, device, conversationId } = await openPair(topology());
    const say = () => writer.send('message:send', { timelineId: conversationId, body: 'x' });
    const waitForActivity = (last: number) =>
      device.person.waitFor(
        'activity',
        ({ timelines }) => timelines[conversationId]?.last === last,
      );
    await say();
    await waitForActivity(1);
    expect(device.unread).to.deep.equal({ [conversationId]: 1 });
    // A pending request would be ignored, not hidden.
    await reader.send('conversation:accept', { conversationId });
    await reader.send('conversation:delete', { conversationId });
    await device.person.waitFor('read', ({ timelines }) => timelines[conversationId] === 1);
    expect(device.unread).to.deep.equal({});
    await say();
    await waitForActivity(2);
    expect(device.unread).to.deep.equal({ [conversationId]: 1 });
  });

  it('excludes an earlier mark in a hidden conversation, and includes a later one', async () => {
    const { writer, reader, device, conversationId } = await openPair(topology());
    await writer.send('message:send', { timelineId: conversationId, body: 'x' });
    await reader.send('conversation:accept', { conversationId });
    const mark = () => reader.send('read:mark', { timelineId: conversationId, position: 1 });
    const waitForMark = (version: number) =>
      device.person.waitFor('read', (news) => news.marks?.[conversationId]?.version === version);
    const shown = async () => unreadBy((await reader.newTab()).ready.timelines);
    await reader.send('read:update', { timelineId: conversationId, position: 1 });
    await mark();
    await waitForMark(1);
    expect(device.unread).to.deep.equal({ [conversationId]: 1 });
    await reader.send('conversation:delete', { conversationId });
    await waitForMark(2);
    expect([device.unread, await shown()]).to.deep.equal([{}, {}]);
    await mark();
    await waitForMark(3);
    expect(device.unread).to.deep.equal({ [conversationId]: 1 });
    expect(await shown()).to.deep.equal(device.unread);
  });

  it('is empty in a deleted channel, though activity in it was still pending', async () => {
    const { owner, serverId, timelineId, code } = await openPlace(topology());
    const member = await topology().person();
    await member.send('server:join', { code });
    const device = new BadgeDevice(await topology().elsewhere(member));
    const { channel } = await owner.send('channel:create', { serverId, name: 'brief' });
    for (let i = 0; i < 2; i += 1)
      await owner.send('message:send', { timelineId: channel.id, body: 'x' });
    await owner.send('channel:delete', { channelId: channel.id });
    topology().pass(1_000);
    await owner.send('message:send', { timelineId, body: 'x' });
    await device.person.waitFor('activity', ({ timelines }) => timelineId in timelines);
    await member.send('read:update', { timelineId, position: 1 });
    await device.person.waitFor('read', ({ timelines }) => timelines[timelineId] === 1);
    expect(device.unread).to.deep.equal({});
  });
});

describeTopologies(
  'unread state',
  (topology) => {
    it('excludes a channel that became private, when the database shows that before the other node', async () => {
      const [here, there] = topology().nodes;
      const owner = await here.person('Owner');
      const { server } = await owner.send('server:create', { name: 'Turned' });
      const { invite } = await owner.send('invite:create', { serverId: server.id });
      const other = await there.person('Other');
      await other.send('server:join', { code: invite.code });
      const { id: serverId, defaultChannelId } = server;
      const { channel } = await owner.send('channel:create', { serverId, name: 'turned' });
      const { id: timelineId } = channel;
      const device = new BadgeDevice(await other.newTab());
      const say = (timelineId: string) => owner.send('message:send', { timelineId, body: 'x' });
      for (const node of topology().nodes) node.hold();
      await say(timelineId);
      await until(() => device.unread[timelineId] === 1);
      // The announcement waits for the end of the second, which only `pass` brings.
      await say(timelineId);
      const kept = await keepingBack(topology(), async () => {
        await owner.send('channel:update', { channelId: timelineId, private: true });
      });
      const [row] = await query<{ version: number }>(
        there.db,
        'select access_version as version from rooms where id = $1',
        [serverId],
      );
      await there.node.access.catchUpTo({ scope: serverId, version: row!.version });
      topology().pass(1_000);
      await say(defaultChannelId);
      await until(() => device.unread[defaultChannelId] === 1);
      expect(device.unread[timelineId], 'not told of what was said').to.equal(1);
      for (const deliver of kept) deliver();
      await until(() => device.unread[timelineId] === undefined);
    });
  },
  { 'on two nodes': joined },
);

async function openPair(topology: Topology) {
  const [writer, reader] = [await topology.person(), await topology.person()];
  const { conversation } = await writer.send('conversation:create', { userIds: [reader.id] });
  const device = new BadgeDevice(await topology.elsewhere(reader));
  return { writer, reader, device, conversationId: conversation.id };
}

async function openPlace(topology: Topology) {
  const owner = await topology.person();
  const { server } = await owner.send('server:create', { name: 'Told' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  const { id: serverId, defaultChannelId: timelineId } = server;
  return { owner, serverId, timelineId, code: invite.code };
}
