import { expect } from 'chai';
import type { Message } from '../../shared/messages.ts';
import { callsIn } from '../../shared/mentions.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';

describe('@everyone', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  let serverId: string;
  let timelineId: string;
  let code: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben, cem] = await Promise.all([app.person('Ann'), app.person('Ben'), app.person('Cem')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
    code = (await ann.send('invite:create', { serverId })).invite.code;
    for (const person of [ben, cem]) await person.send('server:join', { code });
  });
  afterEach(() => {
    for (const person of [ann, ben, cem]) person.close();
  });
  after(() => app.close());

  const say = async (person: Person, body: string, where = timelineId): Promise<Message> =>
    (await person.send('message:send', { timelineId: where, body })).message;
  const badge = async (person: Person, where = timelineId) => {
    const fresh = await person.newTab();
    fresh.close();
    return fresh.ready.timelines[where]?.mentions;
  };
  const received = (person: Person, position: number, where = timelineId) =>
    person
      .received('activity')
      .flatMap(({ timelines }) => timelines[where]?.mentions?.[position] ?? []);
  /** Waits until all earlier notifications have arrived: notifications arrive in order. */
  const settles = async (person: Person) => {
    const { position } = await say(ann, `<@${person.id}> still there?`);
    await person.waitFor('activity', ({ timelines }) =>
      Boolean(timelines[timelineId]?.mentions?.[position]),
    );
  };

  it('is recognized in text, outside of code and of other words', () => {
    const found = (texts: string[]) => texts.map(callsIn);
    expect(found(['@everyone', 'so (@here)!', '@here and @everyone'])).to.deep.equal([
      ...['everyone', 'here', 'everyone'],
    ]);
    const none = [
      '@everyones',
      'me@here.org',
      '`@here`',
      '```\n@everyone\n```',
      '\\@here',
      '@@here',
      '``@everyone``',
      '`a\n@here`',
      '````\n```\n@everyone\n```\n@here\n````',
      '- a\n  ```\n  @here',
      '> ```js title="a"\n> @here',
      '[@here](https://a.example)',
    ];
    expect(new Set(found(none))).to.deep.equal(new Set([undefined]));
  });

  it('mentions everyone else who sees the channel, until they have read it', async () => {
    const { position, calls } = await say(ann, 'Tea, @everyone!');
    expect(calls).to.equal('everyone');
    for (const one of [ben, cem]) {
      await one.waitFor('activity', () => received(one, position).includes(true));
      expect(await badge(one)).to.deep.equal([position]);
    }
    expect(await badge(ann)).to.equal(undefined);
    await ben.send('read:update', { timelineId, position });
    expect(await badge(ben)).to.equal(undefined);
    const dora = await app.person('Dora');
    await dora.send('server:join', { code });
    expect(await badge(dora)).to.equal(undefined);
    dora.close();
  });

  it('reaches those who are in the channel at the time', async () => {
    await ben.send('channel:join', { channelId: timelineId });
    const { position } = await say(ann, '@everyone');
    await ben.waitFor('activity', () => received(ben, position).includes(true));
  });

  it('is plain text from people without the right', async () => {
    const guest = await app.guest('Gus');
    await guest.send('server:join', { code });
    for (const one of [ben, guest]) {
      const message = await say(one, '@everyone, @here');
      expect(message).to.not.have.property('calls');
    }
    expect(await badge(cem)).to.deep.equal([]);
    await settles(cem);
    expect(received(cem, 1)).to.deep.equal([]);
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    expect((await say(ben, '@everyone')).calls).to.equal('everyone');
    guest.close();
  });

  it('follows edits of the message, and ends with its deletion', async () => {
    const { id, position } = await say(ann, `@everyone and <@${ben.id}>`);
    await ann.send('message:edit', { messageId: id, body: '@everyone' });
    expect(await badge(ben)).to.deep.equal([position]);
    await ann.send('message:edit', { messageId: id, body: 'Nobody' });
    await ben.waitFor('activity', () => received(ben, position).at(-1) === false);
    expect(await badge(ben)).to.deep.equal([]);
    await ann.send('message:edit', { messageId: id, body: '@everyone again' });
    expect(await badge(cem)).to.deep.equal([position]);
    await ann.send('message:delete', { messageId: id });
    await cem.waitFor('activity', () => received(cem, position).at(-1) === false);
    expect(await badge(cem), 'nothing is left to read').to.equal(undefined);
  });

  it('mentions nobody across a block', async () => {
    await ben.send('block:create', { userId: ann.id });
    const { position } = await say(ann, '@everyone');
    await ben.waitFor('activity', () => received(ben, position).at(-1) === false);
    expect(await badge(ben)).to.deep.equal([]);
    expect(await badge(cem)).to.deep.equal([position]);
    await ann.send('block:create', { userId: cem.id });
    const again = await say(ann, '@everyone');
    await cem.waitFor('activity', () => received(cem, again.position).at(-1) === false);
    expect(await badge(cem)).to.deep.equal([]);
  });

  it('counts as @here only for people who were online at the time', async () => {
    const { position, calls } = await say(ann, 'Quick, @here');
    expect(calls).to.equal('here');
    expect(await badge(ben)).to.deep.equal([position]);
    const age = (what: string, person: Person) =>
      app.db.sequelize.query(`update sessions set ${what} where user_id = $1`, {
        bind: [person.id],
      });
    // Cem was away for long, and returned after the message.
    await age(
      `here_since = now() - interval '2 days', last_seen_at = now() - interval '1 day'`,
      cem,
    );
    expect(await badge(cem)).to.deep.equal([]);
  });

  it('stays within a private channel and a conversation', async () => {
    const { channel } = await ann.send('channel:create', {
      ...{ serverId, name: 'few', private: true, userIds: [ben.id] },
    });
    const inside = await say(ann, '@everyone', channel.id);
    await ben.waitFor('activity', () => received(ben, inside.position, channel.id).includes(true));
    expect(await badge(ben, channel.id)).to.deep.equal([inside.position]);
    expect(await badge(cem, channel.id)).to.equal(undefined);
    const { conversation } = await ben.send('conversation:create', {
      userIds: [ann.id, cem.id],
    });
    const among = await say(ben, '@everyone', conversation.id);
    expect(await badge(cem, conversation.id)).to.deep.equal([among.position]);
    await settles(cem);
    expect(received(cem, inside.position, channel.id)).to.deep.equal([]);
  });
});
