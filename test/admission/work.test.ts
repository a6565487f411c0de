import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { commandRates, dailyRates, limits, nodeRates } from '../../shared/limits.ts';
import type { Room } from '../../shared/rooms.ts';
import { startStrictApp, type TestApp } from '../support/app.ts';
import { addSilentMembers, fillPrivates } from '../support/crowd.ts';
import { fillTimelines } from '../support/full.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { countStatements } from '../support/statements.ts';

async function untilRefused(work: () => Promise<unknown>): Promise<number> {
  for (let done = 0; done < 500; done += 1)
    if (
      !(await work().then(
        () => true,
        () => false,
      ))
    )
      return done;
  return Infinity;
}

describe('the limits', () => {
  let app: TestApp;
  let ann: Person;
  beforeEach(async () => {
    app = await startStrictApp();
    ann = await app.person('Ann');
  });
  afterEach(() => app.close());

  it('charge a sync of rooms that do not exist by the number of rooms', async () => {
    const ask = () => {
      const rooms = Object.fromEntries(
        Array.from({ length: limits.roomsPerSync }, () => [`timeline:${randomUUID()}`, 0]),
      );
      return ann.send('sync', { epoch: ann.ready.epoch, rooms });
    };
    let answered = 0;
    let refusal: { code?: string } | undefined;
    while (refusal === undefined && answered < 30)
      await ask().then(
        () => (answered += 1),
        (error: unknown) => (refusal = error as { code?: string }),
      );
    expect(refusal).to.include({ code: 'rate_limited' });
    expect(answered).to.equal(Math.floor(nodeRates.enter.points / (5 * limits.roomsPerSync)));
  });

  it('stop reading by bytes, over the socket and HTTP, but neither writing nor other accounts', async () => {
    const { server } = await ann.send('server:create', { name: 'Long' });
    const { code } = (await ann.send('invite:create', { serverId: server.id })).invite;
    const [bob, eve] = [await app.person('Bob'), await app.person('Eve')];
    for (const one of [bob, eve]) await one.send('server:join', { code });
    const timelineId = server.defaultChannelId;
    await fillTimelines(app, [timelineId], {
      authorId: ann.id,
      body: '語'.repeat(4_000),
      many: 100,
    });
    const page = { timelineId, limit: limits.page };
    const { bot, token } = await ann.send('bot:create', { name: 'Echo' });
    await ann.send('bot:add', { botId: bot.id, serverId: server.id });
    const statusOfBot = async () =>
      (
        await fetch(`${app.url}/api/channels/${timelineId}/messages?limit=1`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    expect(await statusOfBot()).to.equal(200);
    const perSocket = await untilRefused(() => ann.send('message:list', page));
    // The HTTP requests of a bot count for its owner.
    expect(await statusOfBot()).to.equal(429);
    const path = `/api/channels/${timelineId}/messages?limit=${limits.page}`;
    const perHttp = await untilRefused(async () => {
      const { status } = await fetch(app.url + path, { headers: { cookie: bob.cookie } });
      expect(status).to.equal(200);
    });
    const pages = (nodeRates.answered.points * 1_024) / limits.answerBytes;
    expect(perSocket).to.be.within(pages, 1.3 * pages);
    expect(perHttp).to.be.within(pages, 1.3 * pages);
    expect(
      (await ann.send('message:send', { timelineId, body: 'Still here.' })).message.position,
    ).to.equal(101);
    expect((await eve.send('message:list', page)).messages).to.not.be.empty;
  });

  it('count the bytes of `ready`, also on other connections', async () => {
    const bob = await app.person('Bob');
    for (const { id } of [ann, bob])
      await app.node.limits.take('answered', id, nodeRates.answered.points - 10);
    for (let i = 0; i < 10; i += 1) (await ann.newTab()).close();
    expect(await ann.expectError('block:list', {})).to.include({ code: 'rate_limited' });
    await bob.send('block:list', {});
  });

  it('let a client with 200 rooms reconnect ten times in a minute, on two devices', async () => {
    const { server } = await ann.send('server:create', { name: 'Large' });
    await query(
      app.db,
      `with channel as (
         select gen_random_uuid() as id, n from generate_series(2, $2::int) as n
       ), room as (
         insert into rooms (id, kind) select id, 'timeline' from channel
       )
       insert into channels (id, server_id, name, position, version)
       select id, $1, 'c' || n, n, 0 from channel`,
      [server.id, limits.roomsPerSync],
    );
    const channels = await query<{ id: string }>(
      app.db,
      'select id from channels where server_id = $1',
      [server.id],
    );
    const rooms = Object.fromEntries(
      channels.map(({ id }): [Room, number] => [`timeline:${id}`, 0]),
    );
    expect(Object.keys(rooms)).to.have.length(limits.roomsPerSync);
    for (let i = 0; i < 5; i += 1)
      for (const device of await Promise.all([ann.newTab(), ann.newTab()])) {
        const { rooms: entries } = await device.send('sync', { epoch: ann.ready.epoch, rooms });
        expect(entries.every(({ status }) => status === 'current')).to.equal(true);
        device.close();
      }
  });

  it('charge a page of messages by its length', async () => {
    const [lobby] = (await ann.send('server:list', {})).servers;
    const timelineId = lobby!.defaultChannelId;
    const count = async (limit: number) => {
      const person = await app.person();
      return untilRefused(() => person.send('message:list', { timelineId, limit }));
    };
    expect(await count(limits.pageDefault)).to.equal(commandRates.read.points);
    expect(await count(limits.page)).to.equal(commandRates.read.points / 2);
  });

  it('charge an invite preview by the members that it counts', async () => {
    const { server } = await ann.send('server:create', { name: 'Large' });
    const { code } = (await ann.send('invite:create', { serverId: server.id })).invite;
    const ben = await app.person('Ben');
    const looks = await untilRefused(() => ben.send('invite:get', { code }));
    expect(looks).to.equal(commandRates.read.points / 4);
  });

  it('charge a change of a private channel by its members, and opening it by all who can read it afterwards', async () => {
    const { server } = await ann.send('server:create', { name: 'Large' });
    const serverId = server.id;
    await addSilentMembers(app, serverId, 3_000);
    const { channel } = await ann.send('channel:create', { serverId, name: 'in', private: true });
    const { cookie } = ann;
    // No connected account is notified of these inserted members.
    ann.close();
    const change = async (more: object) => {
      const address = `${app.url}/api/channels/${channel.id}`;
      const headers = { cookie, origin: app.url, 'content-type': 'application/json' };
      const body = JSON.stringify(more);
      const response = await fetch(address, { method: 'PATCH', headers, body });
      const text = await response.text();
      if (response.status !== 200) throw new Error(text);
    };
    let renamed = 0;
    const rename = () => change({ name: `inner-${(renamed += 1)}` });
    for (let i = 0; i < 10; i += 1) await rename();
    // Opening it costs six more points, for the new read positions. A change of a public channel costs one.
    await change({ private: false });
    await change({ private: true });
    await query(
      app.db,
      `insert into channel_members (channel_id, server_id, user_id, user_version)
       select $1::uuid, $2::uuid, user_id, 1 from members
       where server_id = $2 and role = 'member' limit 400`,
      [channel.id, serverId],
    );
    const left = commandRates.write.points - 10 - (1 + 3_000 / 500) - 1;
    expect(await untilRefused(rename)).to.equal(Math.floor(left / (1 + 400 / 100)));
  });

  it('charge moving a channel and deleting a category for all members of private channels', async () => {
    const many = { many: 10, members: 301 };
    const points = 1 + Math.floor((many.many * many.members) / 500);
    const moved = Math.floor(commandRates.write.points / points);
    for (const what of ['channels', 'categories'] as const) {
      const dora = await app.person('Dora');
      const { serverId, channelId } = await openPlace(dora);
      await addSilentMembers(app, serverId, many.members);
      await dora.send('channel:create', { serverId, name: 'other' });
      const ids: string[] = [];
      for (let i = 0; i <= moved; i += 1)
        if (what === 'categories')
          ids.push((await dora.send('category:create', { serverId, name: `c${i}` })).category.id);
      await fillPrivates(app, { serverId, categoryId: null }, many);
      let turn = 0;
      // Making a private channel private again renumbers nothing.
      const { channel } = await dora.send('channel:create', {
        serverId,
        name: 'in',
        private: true,
      });
      const { id: inside } = channel;
      if (what === 'channels')
        await dora.send('channel:update', { channelId: inside, private: true });
      const act = () =>
        what === 'channels'
          ? dora.send('channel:update', { channelId, position: 1 + ((turn += 1) % 2) })
          : dora.send('category:delete', { categoryId: ids.pop() ?? '' });
      expect(await untilRefused(act), what).to.equal(moved);
    }
  });

  it('cap renames per day, for an account and its bots together', async () => {
    const { bot } = await ann.send('bot:create', { name: 'Echo' });
    const ben = await app.person('Ben');
    let names = 0;
    const next = () => `Name ${(names += 1)}`;
    await ann.send('bot:update', { botId: bot.id, name: next() });
    const renamed = await untilRefused(() => ann.send('user:update', { displayName: next() }));
    expect(renamed).to.equal(dailyRates.rename.points - 1);
    const failure = await ann.expectError('bot:update', { botId: bot.id, name: next() });
    expect(failure).to.include({ code: 'rate_limited' });
    expect(failure.retryAfterMs).to.be.above(commandRates.write.seconds * 1_000);
    await ben.send('user:update', { displayName: next() });
  });

  it('allow a move that shifts hundreds of channels, because it is one statement', async () => {
    const { server } = await ann.send('server:create', { name: 'Large' });
    const many = 300;
    await query(
      app.db,
      `with channel as (
         select gen_random_uuid() as id, n from generate_series(2, $2::int) as n
       ), room as (
         insert into rooms (id, kind) select id, 'timeline' from channel
       )
       insert into channels (id, server_id, name, position, version)
       select id, $1, 'c' || n, n, 0 from channel`,
      [server.id, many],
    );
    const room: Room = `server:${server.id}`;
    await ann.send('server:open', { serverId: server.id });
    const [last] = await query<{ id: string }>(
      app.db,
      'select id from channels where server_id = $1 order by position desc limit 1',
      [server.id],
    );
    app.hold();
    const sent = await countStatements(() =>
      ann.send('channel:update', { channelId: last!.id, position: 1 }),
    );
    expect(sent).to.have.length.below(50);
    const received = () =>
      ann.received('changes').flatMap((event) => (event.room === room ? event.changes : []));
    await ann.waitFor('changes', () => received().length >= many);
    const positions = new Map(
      received().flatMap((change) =>
        change.type === 'channel:updated' ? [[change.channel.id, change.channel.position]] : [],
      ),
    );
    expect(positions.get(last!.id)).to.equal(1);
    expect(positions.size).to.equal(many);
    expect(new Set(positions.values()).size).to.equal(many);
    const stored = await query<{ id: string; position: number; version: number }>(
      app.db,
      'select id, position, version from channels where server_id = $1',
      [server.id],
    );
    expect(new Map(stored.map(({ id, position }) => [id, position]))).to.deep.equal(positions);
    expect(new Set(stored.map(({ version }) => version)).size).to.equal(many);
  });
});
