import { expect } from 'chai';
import { personTasks } from '../../server/administration/tasks.ts';
import type { File } from '../../shared/files.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { upload } from '../support/files.ts';
import { cookieOf, post, type Person } from '../support/person.ts';
import { picture } from '../support/pictures.ts';
import { befriend } from '../support/relationships.ts';
import { until } from '../support/time.ts';

describe('files after a right is revoked', () => {
  const nodes: TestApp[] = [];
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let channelId: string;
  let bot: { id: string; token: string };
  let file: File;

  before(async () => {
    const one = await startApp({ PARLEY_LOBBY: 'off' });
    nodes.push(one, await startApp({ PARLEY_LOBBY: 'off' }, one.where));
  });
  after(() => Promise.all(nodes.map((node) => node.close())));

  beforeEach(async () => {
    const [node] = nodes as [TestApp];
    [ann, ben] = await Promise.all([node.person('Ann'), node.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    serverId = server.id;
    ({ id: channelId } = (await ann.send('channel:create', { serverId, name: 'tea' })).channel);
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await ben.send('server:join', { code });
    const made = await ann.send('bot:create', { name: 'Chart', scopes: ['send'] });
    bot = { id: made.bot.id, token: made.token };
    await ann.send('bot:add', { serverId, botId: bot.id });
    file = await upload(ann, channelId, Buffer.from('Tea, and cake.'), 'list.txt');
    await ann.send('message:send', { timelineId: channelId, files: [{ id: file.id }] });
    for (const who of [cookie(ann), cookie(ben), bearer()])
      expect(await asked(who), JSON.stringify(who)).to.deep.equal([200, 200]);
  });
  afterEach(() => {
    for (const person of [ann, ben]) person.close();
  });

  const cookie = (person: Person) => ({ cookie: person.cookie });
  const bearer = () => ({ authorization: `Bearer ${bot.token}` });
  const asked = (headers: Record<string, string>, { id } = file, size = '') =>
    Promise.all(
      nodes.map(async ({ url }) => {
        const response = await fetch(`${url}/files/${id}/list.txt${size}`, { headers });
        await response.arrayBuffer();
        return response.status;
      }),
    );
  /** Lets a second pass, in which each node reads revocations, and waits until all answer `status`. */
  const becomes = async (headers: Record<string, string>, status: number, which = file) => {
    for (const node of nodes) node.pass(1_000);
    await until(async () => (await asked(headers, which)).every((answer) => answer === status));
  };
  const isOut = async (headers: Record<string, string>, status = 404, which = file) => {
    await becomes(headers, status, which);
    expect(await asked(cookie(ann), which)).to.deep.equal([200, 200]);
  };

  const ways: [string, () => Promise<unknown>][] = [
    ['removed', () => ann.send('member:remove', { serverId, userId: ben.id })],
    ['banned', () => ann.send('ban:create', { serverId, userId: ben.id })],
    ['left', () => ben.send('server:leave', { serverId })],
    [
      'not let into a channel that became private',
      () => ann.send('channel:update', { channelId, private: true, userIds: [] }),
    ],
    [
      'taken out of a private channel',
      async () => {
        await ann.send('channel:update', { channelId, private: true, userIds: [ben.id] });
        expect(await asked(cookie(ben))).to.deep.equal([200, 200]);
        await ann.send('channel:removeMember', { channelId, userId: ben.id });
      },
    ],
  ];
  it('are cut off during a download', async () => {
    // Larger than the socket buffers between node and reader.
    const large = await upload(ann, channelId, Buffer.alloc(20_000_000), 'large.bin');
    await ann.send('message:send', { timelineId: channelId, files: [{ id: large.id }] });
    const [answer, whole] = await Promise.all(
      [ben, ann].map((person) =>
        fetch(`${nodes[0]!.url}/files/${large.id}/large.bin`, { headers: cookie(person) }),
      ),
    );
    await ann.send('member:remove', { serverId, userId: ben.id });
    const read = (response: Response) => response.arrayBuffer().then((bytes) => bytes.byteLength);
    expect(await read(answer!).catch(() => 'broken off')).to.equal('broken off');
    expect(await read(whole!)).to.equal(large.size);
  });

  for (const [what, takeAway] of ways)
    it(`are gone for a member who was, or has, ${what}`, async () => {
      await takeAway();
      await isOut(cookie(ben));
    });

  it('are gone for everyone after their channel or server is deleted', async () => {
    await ann.send('channel:delete', { channelId });
    for (const who of [cookie(ann), cookie(ben), bearer()]) await becomes(who, 404);
    const { server } = await ann.send('server:create', { name: 'Brief' });
    const timelineId = server.defaultChannelId;
    const theirs = await upload(ann, timelineId, Buffer.from('Brief.'), 'a.txt');
    await ann.send('message:send', { timelineId, files: [{ id: theirs.id }] });
    expect(await asked(cookie(ann), theirs)).to.deep.equal([200, 200]);
    await ann.send('server:delete', { serverId: server.id });
    await becomes(cookie(ann), 404, theirs);
  });

  it('are gone for a bot that was removed, and for one without its token', async () => {
    await ann.send('member:remove', { serverId, userId: bot.id });
    await isOut(bearer());
    await ann.send('bot:add', { serverId, botId: bot.id });
    expect(await asked(bearer())).to.deep.equal([200, 200]);
    await ann.send('bot:delete', { botId: bot.id });
    await isOut(bearer(), 401);
  });

  it('are gone for a guest who was removed, in every size', async () => {
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    const guest = await nodes[0]!.guest('Gus');
    await guest.send('server:join', { code });
    const shown = await upload(ann, channelId, await picture(900, 900).jpeg().toBuffer(), 'a.jpg');
    expect(await asked(cookie(guest), shown, '?size=small')).to.deep.equal([404, 404]);
    await ann.send('message:send', { timelineId: channelId, files: [{ id: shown.id }] });
    expect(await asked(cookie(guest), shown, '?size=small')).to.deep.equal([200, 200]);
    await ann.send('member:remove', { serverId, userId: guest.id });
    await isOut(cookie(guest), 404, shown);
    expect(await asked(cookie(guest), shown, '?size=small')).to.deep.equal([404, 404]);
    expect(await asked(cookie(ben), shown, '?size=small')).to.deep.equal([200, 200]);
    guest.close();
  });

  it('are gone for a person who was removed from a conversation or left it', async () => {
    const cat = await nodes[0]!.person('Cat');
    await befriend(ann, ben);
    await befriend(ann, cat);
    const userIds = [ben.id, cat.id];
    const { conversation } = await ann.send('conversation:create', { userIds });
    const timelineId = conversation.id;
    const theirs = await upload(ann, timelineId, Buffer.from('Just us.'), 'a.txt');
    await ann.send('message:send', { timelineId, files: [{ id: theirs.id }] });
    for (const who of [ben, cat])
      expect(await asked(cookie(who), theirs)).to.deep.equal([200, 200]);
    await ann.send('conversation:update', { conversationId: timelineId, removeUserIds: [ben.id] });
    await isOut(cookie(ben), 404, theirs);
    expect(await asked(cookie(cat), theirs)).to.deep.equal([200, 200]);
    await cat.send('conversation:delete', { conversationId: timelineId });
    await isOut(cookie(cat), 404, theirs);
    cat.close();
  });

  it('stay readable after a block, and new ones are refused', async () => {
    await befriend(ann, ben);
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    const timelineId = conversation.id;
    const theirs = await upload(ann, timelineId, Buffer.from('Just us.'), 'a.txt');
    await ann.send('message:send', { timelineId, files: [{ id: theirs.id }] });
    const before = await upload(ben, timelineId, Buffer.from('For her.'), 'a.txt');
    await ann.send('block:create', { userId: ben.id });
    expect(await asked(cookie(ben), theirs)).to.deep.equal([200, 200]);
    const begin = { timelineId, name: 'a.txt', size: 1 };
    const named = { timelineId, files: [{ id: before.id }] };
    expect((await ben.expectError('file:begin', begin)).code).to.equal('forbidden');
    expect((await ben.expectError('message:send', named)).code).to.equal('forbidden');
    expect(await asked(cookie(ann), before)).to.deep.equal([404, 404]);
    await ann.send('block:delete', { userId: ben.id });
    await ben.send('message:send', named);
    expect(await asked(cookie(ann), before)).to.deep.equal([200, 200]);
  });

  it('are gone for a suspended account, and back when it is restored', async () => {
    const { node, db } = nodes[0]!;
    const username = ben.user.username!;
    await personTasks.get('suspend')!.run({ node, db }, [username], {});
    await isOut(cookie(ben), 401);
    await personTasks.get('restore')!.run({ node, db }, [username], {});
    const response = await post(nodes[0]!.url, '/api/auth/login', {
      username,
      password: `the password of ${username}`,
    });
    expect(await asked({ cookie: cookieOf(response) })).to.deep.equal([200, 200]);
  });

  it('are gone for a session that has ended', async () => {
    const { sessions } = await ben.send('session:list', {});
    await ben.send('session:revoke', { sessionId: sessions[0]!.id });
    await isOut(cookie(ben), 401);
  });
});
