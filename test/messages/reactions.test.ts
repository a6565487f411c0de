import { expect } from 'chai';
import type { Message } from '../../shared/messages.ts';
import { quotas } from '../../shared/quotas.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { writerOn } from '../../server/messages/node-writer.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';

describe('reactions', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let code: string;
  let timelineId: string;
  let messageId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    timelineId = server.defaultChannelId;
    code = (await ann.send('invite:create', { serverId: server.id })).invite.code;
    await ben.send('server:join', { code });
    for (const one of [ann, ben]) await one.send('channel:join', { channelId: timelineId });
    messageId = (await ann.send('message:send', { timelineId, body: 'Tea?' })).message.id;
  });
  afterEach(() => {
    for (const person of [ann, ben]) person.close();
  });
  after(() => app.close());

  /** Reacts, and lets the pause pass that would delay the next reaction. */
  async function react(person: Person, emoji: string, on = true) {
    const answer = await person.send('message:react', { messageId, emoji, on });
    app.pass(250);
    return answer;
  }
  const refusal = async (person: Person, emoji: string) =>
    (await person.expectError('message:react', { messageId, emoji, on: true })).code;
  const row = async (): Promise<Message | undefined> =>
    (await ann.send('message:list', { timelineId, limit: 1 })).messages[0];
  const reactions = async () =>
    (await row())?.reactions?.map(({ emoji, count, userIds }) => [emoji, count, userIds]);

  it('are listed in the row in order of first use, each with its count and its first people', async () => {
    await react(ben, '👍');
    await react(ann, '🫖');
    await react(ann, '👍');
    expect(await reactions()).to.deep.equal([
      ['👍', 2, [ben.id, ann.id]],
      ['🫖', 1, [ann.id]],
    ]);
    await react(ben, '👍', false);
    await react(ann, '🫖', false);
    expect(await reactions()).to.deep.equal([['👍', 1, [ann.id]]]);
    await react(ann, '👍', false);
    expect(await row()).to.not.have.property('reactions');
  });

  it('are sent as a change of the message, which keeps its text, time and mentions', async () => {
    const before = await row();
    const { version } = await react(ben, '👍');
    const { changes } = await ann.waitFor('changes', ({ to }) => to === version);
    const after = { ...before, version, reactions: [{ emoji: '👍', count: 1, userIds: [ben.id] }] };
    expect(changes).to.deep.equal([{ type: 'message:updated', version, message: after }]);
    expect(await row()).to.deep.equal(after);
  });

  it('change nothing when repeated', async () => {
    const { version } = await react(ben, '👍');
    expect(await react(ben, '👍')).to.deep.equal({ version });
    expect(await react(ann, '👍', false)).to.deep.equal({ version });
    expect((await row())?.version).to.equal(version);
  });

  it('from many people at once become a few changes, and none is lost', async () => {
    const many = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const one = await app.guest(`Guest ${i}`);
        await one.send('server:join', { code });
        return one;
      }),
    );
    await Promise.all(many.map((one) => react(one, '🎉')));
    const [kind] = (await row())?.reactions ?? [];
    expect(kind?.count).to.equal(30);
    expect(kind?.userIds).to.have.length(quotas.reactors);
    const room = timelineRoom(timelineId);
    const received = () => ben.received('changes').filter((event) => event.room === room);
    await until(() => received().at(-1)?.changes.at(-1)?.version === (kind && latest()));
    expect(received().flatMap(({ changes }) => changes).length).to.be.lessThan(10);
    // The people shown for the reaction remove theirs, and others replace them.
    const gone = kind?.userIds.slice(0, 5) ?? [];
    await Promise.all(
      many.filter(({ id }) => gone.includes(id)).map((one) => react(one, '🎉', false)),
    );
    const [left] = (await row())?.reactions ?? [];
    expect(left?.count).to.equal(25);
    expect(left?.userIds).to.have.length(quotas.reactors);
    expect(left?.userIds).to.not.include.members(gone);
    for (const one of many) one.close();

    function latest() {
      return Math.max(
        ...received().flatMap(({ changes }) => changes.map(({ version }) => version)),
      );
    }
  });

  it('are written together after each pause in a burst, and a single one is written at once', async () => {
    const held = await startApp({ PARLEY_LOBBY: 'off' });
    const [host, ...many] = await Promise.all(Array.from({ length: 12 }, () => held.person()));
    if (host === undefined) throw new Error('there is no such person');
    const { server } = await host.send('server:create', { name: 'Storm' });
    const invite = await host.send('invite:create', { serverId: server.id });
    for (const one of many) await one.send('server:join', { code: invite.invite.code });
    const said = { timelineId: server.defaultChannelId, body: 'Tea?' };
    const { message } = await host.send('message:send', said);
    held.hold();
    const say = (person: Person, emoji: string, on = true) =>
      person.send('message:react', { messageId: message.id, emoji, on });
    const depth = () => writerOn(held.node).depth();

    const first = await say(host, '👍');
    const answers = many.map((person, i) => say(person, i % 2 ? '👍' : '🫖'));
    const refused = many[0]?.expectError('message:react', {
      messageId: message.id,
      emoji: '💩💩',
      on: true,
    });
    await until(() => depth() === many.length);
    held.pass(250);
    const versions = new Set((await Promise.all(answers)).map(({ version }) => version));
    expect([...versions]).to.deep.equal([first.version + 1]);
    expect((await refused)?.code).to.equal('invalid');

    const removal = say(host, '👍', false);
    await until(() => depth() === 1);
    held.pass(250);
    expect(await removal).to.deep.equal({ version: first.version + 2 });
    held.pass(250);
    expect(await say(host, '👍')).to.deep.equal({ version: first.version + 3 });
    await held.close();
  });

  it('turned on and off within a pause are gone, and count once if turned on twice', async () => {
    const held = await startApp({ PARLEY_LOBBY: 'off' });
    const host = await held.person();
    const tab = await host.newTab();
    const { server } = await host.send('server:create', { name: 'Place' });
    const said = { timelineId: server.defaultChannelId, body: 'Tea?' };
    const { message } = await host.send('message:send', said);
    held.hold();
    const say = (person: Person, emoji: string, on = true) =>
      person.send('message:react', { messageId: message.id, emoji, on });
    await say(host, '👍');
    const inOrder = [
      () => say(host, '🫖'),
      () => say(host, '🫖', false),
      () => say(host, '🎉'),
      () => say(tab, '🎉'),
    ];
    const answers: ReturnType<typeof say>[] = [];
    for (const next of inOrder) {
      answers.push(next());
      await until(() => writerOn(held.node).depth() === answers.length);
    }
    held.pass(250);
    const versions = new Set((await Promise.all(answers)).map(({ version }) => version));
    expect(versions).to.have.length(1);
    const { messages } = await host.send('message:list', { timelineId: said.timelineId, limit: 1 });
    expect(messages[0]?.reactions).to.deep.equal([
      { emoji: '👍', count: 1, userIds: [host.id] },
      { emoji: '🎉', count: 1, userIds: [host.id] },
    ]);
    await held.close();
  });

  it('are listed in pages, with the people', async () => {
    for (const one of [ann, ben]) await react(one, '👍');
    const wanted = { messageId, emoji: '👍', limit: 1 };
    const first = await ann.send('reaction:list', wanted);
    const [after = ''] = first.userIds;
    const second = await ann.send('reaction:list', { ...wanted, after });
    expect([...first.userIds, ...second.userIds]).to.have.members([ann.id, ben.id]);
    expect([first.more.after, second.more.after]).to.deep.equal([true, false]);
    expect({ ...first.people, ...second.people }).to.include.keys(ann.id, ben.id);
    expect((await ann.send('reaction:list', { messageId, emoji: '🫖' })).userIds).to.be.empty;
  });

  it('are one emoji of Unicode each', async () => {
    for (const emoji of ['👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '👋🏽', '❤️', '1️⃣', '🇰🇪']) await react(ben, emoji);
    for (const emoji of ['', 'a', '👍👍', '❤', ':+1:', '👍'.repeat(64), 'x'.repeat(100)])
      expect(await refusal(ben, emoji), emoji).to.equal('invalid');
    expect((await row())?.reactions).to.have.length(6);
  });

  it('are limited to a number of different emoji', async () => {
    const kinds = Array.from({ length: quotas.reactionKinds }, (_, i) =>
      String.fromCodePoint(0x1f400 + i),
    );
    for (const emoji of kinds) await react(ben, emoji);
    expect(await refusal(ann, '🫖')).to.equal('conflict');
    await react(ann, kinds[3] ?? '');
    await react(ben, kinds[0] ?? '', false);
    await react(ann, '🫖');
    expect((await reactions())?.map(([emoji]) => emoji)).to.deep.equal([...kinds.slice(1), '🫖']);
  });

  it('end with the deletion of the message, and stay with an edited one', async () => {
    await react(ben, '👍');
    await ann.send('message:edit', { messageId, body: 'Tea at four?' });
    expect(await reactions()).to.deep.equal([['👍', 1, [ben.id]]]);
    await ann.send('message:delete', { messageId });
    expect(await row()).to.not.have.property('reactions');
    expect((await ben.send('reaction:list', { messageId, emoji: '👍' })).userIds).to.be.empty;
    expect(await refusal(ben, '👍')).to.equal('conflict');
  });

  it('by the caller are returned for messages of a timeline', async () => {
    await react(ben, '👍');
    await react(ben, '🫖');
    await react(ann, '👍');
    const asked = { timelineId, messageIds: [messageId] };
    const mine = async (person: Person, more = {}) =>
      (await person.send('reaction:mine', { ...asked, ...more })).reactions;
    expect(await mine(ben)).to.deep.equal({ [messageId]: ['👍', '🫖'] });
    expect(await mine(ann)).to.deep.equal({ [messageId]: ['👍'] });
    await react(ann, '👍', false);
    expect(await mine(ann)).to.deep.equal({});
    const { channel } = await ann.send('channel:create', {
      serverId: (await ann.send('server:list', {})).servers[0]?.id ?? '',
      name: 'elsewhere',
    });
    expect(await mine(ben, { timelineId: channel.id })).to.deep.equal({});
    await ann.send('message:delete', { messageId });
    expect(await mine(ben)).to.deep.equal({});
  });

  it('cannot be added across a block, but can be removed', async () => {
    await react(ben, '👍');
    await ann.send('block:create', { userId: ben.id });
    expect(await refusal(ben, '🫖')).to.equal('forbidden');
    await react(ben, '👍', false);
    expect(await reactions()).to.equal(undefined);
  });
});
