/** Who may not see a message any more has none of its files any more, on whatever node they ask. */
import { expect } from 'chai';
import type { File } from '../shared/files.ts';
import { startApp, type TestApp } from './support/app.ts';
import { upload } from './support/files.ts';
import type { Person } from './support/person.ts';
import { until } from './support/time.ts';

describe('files of whom a right is taken from', () => {
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
  /** What each node answers. */
  const asked = (headers: Record<string, string>) =>
    Promise.all(
      nodes.map(async ({ url }) => {
        const response = await fetch(`${url}/files/${file.id}/list.txt`, { headers });
        await response.arrayBuffer();
        return response.status;
      }),
    );
  /** Within the two seconds that are promised, whatever beats until then. */
  const isOut = async (headers: Record<string, string>, status = 404) => {
    const began = performance.now();
    for (const node of nodes) node.pass(1_000);
    await until(async () => (await asked(headers)).every((answer) => answer === status));
    expect(performance.now() - began).to.be.below(2_000);
    expect(await asked(cookie(ann))).to.deep.equal([200, 200]);
  };

  const ways: [string, () => Promise<unknown>][] = [
    ['removed', () => ann.send('member:remove', { serverId, userId: ben.id })],
    ['banned', () => ann.send('ban:create', { serverId, userId: ben.id })],
    ['left', () => ben.send('server:leave', { serverId })],
    [
      'not let into a channel that became private',
      () => ann.send('channel:update', { channelId, private: true, userIds: [] }),
    ],
  ];
  for (const [what, takeAway] of ways)
    it(`are gone for somebody who was, or has, ${what}`, async () => {
      await takeAway();
      await isOut(cookie(ben));
    });

  it('are gone for a bot that was removed, and for one without its token', async () => {
    await ann.send('member:remove', { serverId, userId: bot.id });
    await isOut(bearer());
    await ann.send('bot:add', { serverId, botId: bot.id });
    expect(await asked(bearer())).to.deep.equal([200, 200]);
    await ann.send('bot:delete', { botId: bot.id });
    await isOut(bearer(), 401);
  });

  it('are gone for a session that has ended', async () => {
    const { sessions } = await ben.send('session:list', {});
    await ben.send('session:revoke', { sessionId: sessions[0]!.id });
    await isOut(cookie(ben), 401);
  });
});
