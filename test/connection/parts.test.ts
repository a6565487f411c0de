import { expect } from 'chai';
import { v7 } from 'uuid';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { serverRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addSilentMembers } from '../support/crowd.ts';
import { fillOwnRoom } from '../support/full.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';

const bytesOf = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer));
const wide = (length: number) => '😀'.repeat(length);

describe('a room that does not fit one answer', () => {
  let app: TestApp;
  let ann: Person;
  let serverId: string;

  const measured = (person: Person): Person => {
    const largest = { ...person };
    largest.send = async (command, input) => {
      const answer = await person.send(command, input);
      expect(bytesOf(answer), command).to.be.at.most(limits.answerBytes);
      return answer;
    };
    expect(bytesOf(person.ready), 'ready').to.be.at.most(limits.answerBytes);
    return largest;
  };

  const fillChannels = () =>
    query(
      app.db,
      `with channel as (
         select gen_random_uuid() as id, n from generate_series(2, $2::int) as n
       ), room as (
         insert into rooms (id, kind) select id, 'timeline' from channel
       )
       insert into channels (id, server_id, name, topic, position, version)
       select id, $1, 'channel-' || n, $3, n, 0 from channel`,
      [serverId, quotas.channelsPerServer, wide(250)],
    );

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    serverId = (await ann.send('server:create', { name: 'Full' })).server.id;
    await fillChannels();
    for (let i = 0; i < quotas.categoriesPerServer; i += 1)
      await ann.send('category:create', { serverId, name: `${wide(60)}${i}` });
    await addSilentMembers(app, serverId, 1_900);
    await fillOwnRoom(app, ann.id, 1_000);
  });
  after(() => app.close());

  it('brings a whole server, and nothing twice', async () => {
    const mirror = new Mirror(measured(await ann.newTab()));
    await mirror.open(serverRoom(serverId));
    const state = mirror.state(serverRoom(serverId));
    expect(state?.channels).to.have.length(quotas.channelsPerServer);
    expect(state?.categories).to.have.length(quotas.categoriesPerServer);
    expect(state?.members).to.have.length(1_901);
    await mirror.becomesTrue([serverRoom(serverId)]);
  });

  it('brings a whole user room that is full in every way', async () => {
    const mirror = new Mirror(measured(await ann.newTab()));
    expect(bytesOf(mirror.person.ready)).to.be.above(limits.answerBytes / 3);
    await mirror.becomesTrue();
    const state = mirror.state(userRoom(ann.id));
    for (const slice of ['conversations', 'friendships', 'friendRequests', 'blocks'])
      expect(state?.[slice], slice).to.have.length(1_000);
  });

  it('brings all badges', async () => {
    await query(
      app.db,
      `update rooms set last_position = 1000 where id in (select id from channels where server_id = $1)`,
      [serverId],
    );
    await query(
      app.db,
      `insert into messages (id, timeline_id, author_id, position, version, body, created_at)
       select gen_random_uuid(), id, $1, 1, 1, 'x', now() from channels where server_id = $2`,
      [ann.id, serverId],
    );
    await query(
      app.db,
      `insert into mentions (user_id, timeline_id, position)
       select $1, id, n from channels, generate_series(1, 100) as n where server_id = $2`,
      [ann.id, serverId],
    );
    const person = measured(await ann.newTab());
    const { timelines } = person.ready;
    const all = new Set(Object.keys(timelines));
    let more = person.ready.moreTimelines;
    for (expect(more).to.be.a('string'); more !== undefined;) {
      const { epoch } = person.ready;
      const answer = await person.send('sync', { epoch, rooms: {}, badges: more });
      for (const id of Object.keys(answer.timelines ?? {})) {
        expect(all).not.to.include(id);
        all.add(id);
      }
      more = answer.moreTimelines;
    }
    expect(all.size).to.equal(quotas.channelsPerServer);
  });

  it('comes in parts beside other rooms', async () => {
    const person = measured(await ann.newTab());
    const rooms = [serverRoom(serverId), ...Array.from({ length: 150 }, () => timelineRoom(v7()))];
    const asked = Object.fromEntries(rooms.map((room) => [room, 0])) as Record<Room, number>;
    const answer = await person.send('sync', { epoch: '', rooms: asked, badges: true });
    expect(answer.rooms.find(({ room }) => room === rooms[0])).to.have.property('more');
  });

  it('is read by HTTP in the same way', async () => {
    const found = new Set<string>();
    let answers = 0;
    for (let after = ''; ;) {
      const path = `${ann.url}/api/servers/${serverId}${after && `?after=${after}`}`;
      const response = await fetch(path, { headers: { cookie: ann.cookie } });
      const text = await response.text();
      expect(Buffer.byteLength(text)).to.be.at.most(limits.answerBytes);
      const part = JSON.parse(text) as { more?: string; state: { channels: { id: string }[] } };
      for (const { id } of part.state.channels) found.add(id);
      answers += 1;
      if (part.more === undefined) break;
      after = part.more;
    }
    expect(found.size).to.equal(quotas.channelsPerServer);
    expect(answers).to.be.within(5, 15);
  });

  it('accepts only cursors of its rows', async () => {
    const id = v7();
    for (const after of [`messages:${id}`, `friendships:${id}`]) {
      const { code } = await ann.expectError('server:open', { serverId, after });
      expect(code).to.equal('invalid');
    }
    const stranger = await app.person();
    const { code } = await stranger.expectError('server:open', {
      serverId,
      after: `members:${id}`,
    });
    expect(code).to.equal('not_found');
    await ann.send('server:open', { serverId, after: `members:${id}` });
  });
});

describe('a long list', () => {
  let app: TestApp;
  let ann: Person;

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    await fillOwnRoom(app, ann.id, 1_000);
  });
  after(() => app.close());

  type Listed = 'conversation:list' | 'friendship:list' | 'friendRequest:list' | 'block:list';
  const lists: [Listed, string, string][] = [
    ['conversation:list', 'conversations', 'id'],
    ['friendship:list', 'friendships', 'id'],
    ['friendRequest:list', 'friendRequests', 'id'],
    ['block:list', 'blocks', 'userId'],
  ];
  for (const [command, noun, key] of lists)
    it(`comes in pages: ${command}`, async () => {
      const ids: string[] = [];
      for (let more = true; more;) {
        const page = await ann.send(command, { after: ids.at(-1) });
        expect(bytesOf(page)).to.be.at.most(limits.answerBytes);
        const rows = (page as unknown as Record<string, Record<string, string>[]>)[noun] ?? [];
        ids.push(...rows.map((row) => row[key] ?? ''));
        more = page.more.after;
      }
      expect(ids).to.have.length(1_000);
      expect(ids).to.deep.equal([...new Set(ids)].sort());
      expect((await ann.send(command, { limit: 1 })).more.after).to.be.true;
    });

  it('comes in pages: ban:list', async () => {
    const { server } = await ann.send('server:create', { name: 'Strict' });
    await query(
      app.db,
      'insert into bans (server_id, user_id, banned_by) select $1, blocked_id, $2 from blocks where user_id = $2',
      [server.id, ann.id],
    );
    const ids: string[] = [];
    for (let more = true; more;) {
      const page = await ann.send('ban:list', { serverId: server.id, after: ids.at(-1) });
      expect(page.bans.length).to.be.at.most(limits.page);
      ids.push(...page.bans.map(({ userId }) => userId));
      more = page.more.after;
    }
    expect(new Set(ids).size).to.equal(1_000);
  });
});
