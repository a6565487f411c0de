import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAs, connectBot, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { describeTopologies } from '../support/topologies.ts';

describe('an announcement channel', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let place: Awaited<ReturnType<typeof openPlace>>;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    place = await openPlace(ann, ben);
  });
  after(() => app.close());

  const create = async (more: object = {}) =>
    (
      await ann.send('channel:create', {
        ...{ serverId: place.serverId, name: 'news', announcements: true },
        ...more,
      })
    ).channel;
  const send = (person: Person, timelineId: string) =>
    person.ask('message:send', { timelineId, body: 'Hi' });

  it('takes messages of bots only if they are moderators', async () => {
    const { id } = await create();
    const { bot, token } = await ann.send('bot:create', { name: 'Herald', scopes: ['send'] });
    await ann.send('bot:add', { botId: bot.id, serverId: place.serverId });
    const herald = await connectBot(app.url, token);
    expect(await send(herald, id)).to.have.nested.property('error.code', 'forbidden');
    const herself = { serverId: place.serverId, userId: bot.id };
    await ann.send('member:update', { ...herself, role: 'moderator' });
    expect(await send(herald, id)).to.include({ ok: true });
    herald.close();
  });

  it('keeps the setting when made private and public again; without it, members can send', async () => {
    const { id: channelId } = await create();
    await ann.send('channel:update', { channelId, private: true, userIds: [ben.id] });
    expect(await send(ben, channelId)).to.have.nested.property('error.code', 'forbidden');
    const { channel } = await ann.send('channel:update', { channelId, private: false });
    expect(channel).to.include({ announcements: true, private: false });
    expect(await send(ben, channelId)).to.have.nested.property('error.code', 'forbidden');
    const open = await ann.send('channel:update', { channelId, announcements: false });
    expect(open.channel).not.to.have.property('announcements');
    expect(await send(ben, channelId)).to.include({ ok: true });
  });

  it('publishes the setting to the server, and nothing when it is set again', async () => {
    await ben.send('server:open', { serverId: place.serverId });
    const channelId = place.channelId;
    const first = await ann.send('channel:update', { channelId, announcements: true });
    await ben.waitFor('changes', ({ changes }) =>
      changes.some((change) => change.type === 'channel:updated' && change.channel.announcements),
    );
    const second = await ann.send('channel:update', { channelId, announcements: true });
    expect(second.channel.version).to.equal(first.channel.version);
  });
});

describeTopologies('becoming an announcement channel', (topology) => {
  it('stores no message that a member sends after the acknowledgement', async () => {
    const [here, there] = topology().nodes;
    const owner = await here.person('Owner');
    const { channelId, code } = await openPlace(owner);
    const newcomer = await here.person('Member');
    await newcomer.send('server:join', { code });
    const member = await connectAs(there.url, newcomer.cookie);
    let isOver = false;
    let stored = 0;
    const results: { isLate: boolean; isStored: boolean }[] = [];
    const speak = async () => {
      for (let after = 0; after < 3;) {
        const isLate = isOver;
        after += Number(isLate);
        const { ok } = await member.ask('message:send', { timelineId: channelId, body: 'Hi' });
        stored += Number(ok);
        results.push({ isLate, isStored: ok });
      }
    };
    const speaking = Promise.all(Array.from({ length: 4 }, speak));
    await owner.send('channel:update', { channelId, announcements: true });
    isOver = true;
    await speaking;
    expect(results.filter(({ isLate, isStored }) => isLate && isStored)).to.deep.equal([]);
    const { messages } = await owner.send('message:list', { timelineId: channelId });
    expect(Math.max(0, ...messages.map(({ position }) => position))).to.equal(stored);
  });
});
