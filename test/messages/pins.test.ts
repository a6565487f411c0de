import { expect } from 'chai';
import type { Message } from '../../shared/messages.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';

describe('pins', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let timelineId: string;
  let messageId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    serverId = server.id;
    timelineId = server.defaultChannelId;
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await ben.send('server:join', { code });
    for (const one of [ann, ben]) await one.send('channel:join', { channelId: timelineId });
    messageId = await say('Tea at four');
  });
  afterEach(() => {
    for (const person of [ann, ben]) person.close();
  });
  after(() => app.close());

  const say = async (body: string, by = ben) =>
    (await by.send('message:send', { timelineId, body })).message.id;
  const pin = (id = messageId, by = ann) => by.send('message:pin', { messageId: id, on: true });
  const unpin = (id = messageId) => ann.send('message:pin', { messageId: id, on: false });
  const pinned = async (by = ben) =>
    (await by.send('pin:list', { timelineId })).messages.map(({ id }) => id);
  const rows = async (): Promise<Message[]> =>
    (await ben.send('message:list', { timelineId })).messages;

  it('are part of the row, and a line in the timeline shows who pinned which message', async () => {
    const [before] = await rows();
    const { version } = await pin();
    const [row, line, ...rest] = await rows();
    expect(rest).to.be.empty;
    expect(row).to.deep.include({ ...before, version });
    expect(row?.pinned?.by).to.equal(ann.id);
    expect(line).to.deep.include({ kind: 'pin', authorId: ann.id, body: '', position: 2 });
    expect(line?.replyTo).to.deep.include({ id: messageId, excerpt: 'Tea at four', silent: true });
    const { changes, people } = await ben.waitFor('changes', ({ to }) => to === line?.version);
    expect(changes).to.deep.equal([
      { type: 'message:updated', version, message: row },
      { type: 'message:created', version: version + 1, message: line },
    ]);
    expect(people).to.include.keys(ann.id);
  });

  it('are listed for everyone who sees the timeline, the latest first, with the people', async () => {
    const ids = [messageId, await say('Cake at five'), await say('Home at six')];
    await Promise.all(ids.map((id) => pin(id)));
    const found = await ben.send('pin:list', { timelineId });
    const times = found.messages.map((message) => message.pinned?.at ?? '');
    expect(new Set(times).size).to.equal(3);
    expect(times).to.deep.equal(times.toSorted().toReversed());
    expect(found.messages.map(({ id }) => id)).to.have.members(ids);
    expect(found.people).to.include.keys(ann.id, ben.id);
    expect(found.more).to.deep.equal({ after: false });
    const [first, ...others] = found.messages;
    const rest = await ben.send('pin:list', { timelineId, before: first?.pinned?.at ?? '' });
    expect(rest.messages).to.deep.equal(others);
  });

  it('change nothing when repeated, and add no second line', async () => {
    const { version } = await pin();
    expect(await pin()).to.deep.equal({ version });
    const gone = await unpin();
    expect(await unpin()).to.deep.equal(gone);
    expect(await pinned()).to.be.empty;
    expect((await rows()).map(({ kind }) => kind)).to.deep.equal([undefined, 'pin']);
    expect((await rows())[0]).to.not.have.property('pinned');
  });

  it('require the rights of a moderator', async () => {
    expect((await ben.expectError('message:pin', { messageId, on: true })).code).to.equal(
      'forbidden',
    );
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    await pin(messageId, ben);
    expect(await pinned(ann)).to.deep.equal([messageId]);
  });

  it('are limited in each timeline, also when requested at once', async () => {
    const ids = await Promise.all(Array.from({ length: quotas.pins + 1 }, (_, i) => say(`${i}`)));
    const results = await Promise.allSettled(ids.map((id) => pin(id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(quotas.pins);
    expect(await pinned()).to.have.length(quotas.pins);
    expect((await ann.expectError('message:pin', { messageId, on: true })).code).to.equal(
      'conflict',
    );
    await unpin((await pinned())[0]);
    await pin();
    expect((await pinned())[0]).to.equal(messageId);
  });

  it('stay when the message is edited or reacted to, and end with its deletion', async () => {
    await pin();
    await ben.send('message:edit', { messageId, body: 'Tea at five' });
    await ben.send('message:react', { messageId, emoji: '🫖', on: true });
    expect((await ann.send('pin:list', { timelineId })).messages[0]?.body).to.equal('Tea at five');
    const [, line] = await rows();
    expect(line?.replyTo?.excerpt).to.equal('Tea at five');
    await ben.send('message:delete', { messageId });
    expect(await pinned()).to.be.empty;
    expect((await rows())[1]?.replyTo).to.include({ excerpt: '' });
    expect((await ann.expectError('message:pin', { messageId, on: true })).code).to.equal(
      'conflict',
    );
  });

  it('add a line that can be deleted, but not edited, pinned or replied to', async () => {
    await pin();
    const line = (await rows())[1]?.id ?? '';
    const edited = await ann.expectError('message:edit', { messageId: line, body: 'I pinned it' });
    const again = await ann.expectError('message:pin', { messageId: line, on: true });
    const reply = await ben.expectError('message:send', {
      timelineId,
      body: 'Why?',
      replyTo: line,
    });
    expect([edited, again, reply].map(({ code }) => code)).to.deep.equal([
      ...['conflict', 'conflict', 'invalid'],
    ]);
    await ann.send('message:delete', { messageId: line });
    const [, gone] = await rows();
    expect(gone).to.include({ body: '', id: line });
    expect(gone).to.not.have.any.keys('kind', 'replyTo');
    expect(await pinned()).to.deep.equal([messageId]);
  });

  it('mention nobody, and are read for the person who pinned', async () => {
    await ben.send('channel:leave', { channelId: timelineId });
    await pin();
    const { timelines } = (await ben.newTab()).ready;
    expect(timelines[timelineId]).to.include({ last: 2, read: 1 });
    expect(timelines[timelineId]?.mentions).to.be.empty;
    expect((await ann.newTab()).ready.timelines[timelineId]).to.equal(undefined);
  });

  it('are possible in conversations, for everyone in them', async () => {
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    const said = await ann.send('message:send', { timelineId: conversation.id, body: 'Psst' });
    await pin(said.message.id, ben);
    const { messages } = await ann.send('pin:list', { timelineId: conversation.id });
    expect(messages.map(({ id }) => id)).to.deep.equal([said.message.id]);
    await ann.send('block:create', { userId: ben.id });
    const wanted = { messageId: said.message.id, on: false };
    expect((await ben.expectError('message:pin', wanted)).code).to.equal('forbidden');
  });
});
