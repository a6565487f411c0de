import { expect } from 'chai';
import { v7 } from 'uuid';
import { limits } from '../../shared/limits.ts';
import { mentionOf } from '../../shared/mentions.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';

describe('replies', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let timelineId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await ben.send('server:join', { code });
    for (const one of [ann, ben]) await one.send('channel:join', { channelId: timelineId });
  });
  afterEach(() => {
    for (const person of [ann, ben]) person.close();
  });
  after(() => app.close());

  const say = async (person: Person, body: string, more = {}) =>
    (await person.send('message:send', { timelineId, body, ...more })).message;
  const newest = async (person: Person) =>
    (await person.send('message:list', { timelineId, limit: 1 })).messages[0];
  const mentionsOf = async (person: Person) => {
    const fresh = await person.newTab();
    fresh.close();
    return fresh.ready.timelines[timelineId]?.mentions;
  };

  it('include the quoted message in the ack, in changes and in pages', async () => {
    const original = await say(ann, 'Tea at four?');
    const reply = await say(ben, 'Gladly!', { replyTo: original.id });
    const { id, authorId, position, version } = original;
    const quote = { id, authorId, position, version, excerpt: 'Tea at four?' };
    expect(reply.replyTo).to.deep.equal(quote);
    const { changes } = await ann.waitFor('changes', ({ changes }) =>
      changes.some((change) => 'message' in change && change.message.id === reply.id),
    );
    expect(changes.at(-1)).to.deep.include({ type: 'message:created', message: reply });
    expect(await newest(ann)).to.deep.equal(reply);
  });

  it('quote the latest version of the message, and no text of a deleted one', async () => {
    const { id: messageId } = await say(ann, 'Tea at for?');
    await say(ben, 'Gladly!', { replyTo: messageId });
    const { message: edited } = await ann.send('message:edit', { messageId, body: 'Tea at four?' });
    expect((await newest(ben))?.replyTo).to.deep.include({
      ...{ version: edited.version, excerpt: 'Tea at four?' },
    });
    const { message: deleted } = await ann.send('message:delete', { messageId });
    const { version, deletedAt } = deleted;
    expect((await newest(ben))?.replyTo).to.deep.equal({
      ...{ id: messageId, authorId: ann.id, position: 1, version, excerpt: '', deletedAt },
    });
  });

  it('keep their quote when they are edited', async () => {
    const { id: replyTo } = await say(ann, 'Tea?');
    const { id: messageId, replyTo: quote } = await say(ben, 'Gladli', { replyTo });
    const { message } = await ben.send('message:edit', { messageId, body: 'Gladly' });
    expect(message.replyTo).to.deep.equal(quote);
    expect(await mentionsOf(ann)).to.have.length(1);
  });

  it('quote only the beginning, and no half of a mention', async () => {
    const long = `${'a'.repeat(limits.excerpt - 10)}${mentionOf(v7())} and more`;
    const { id: replyTo } = await say(ann, long);
    const { replyTo: quote } = await say(ben, 'Long!', { replyTo });
    expect(quote?.excerpt).to.equal('a'.repeat(limits.excerpt - 10));
    const { id } = await say(ann, '👩‍👩‍👧‍👦'.repeat(400));
    const excerpt = (await say(ben, 'Many!', { replyTo: id })).replyTo?.excerpt ?? '';
    expect([...excerpt]).to.have.length(limits.excerpt);
  });

  it('mention the author of the quoted message, unless they are silent or one blocks the other', async () => {
    const { id: replyTo } = await say(ann, 'Tea?');
    const { position } = await say(ben, 'Gladly', { replyTo });
    expect(await mentionsOf(ann)).to.deep.equal([position]);
    const quiet = await say(ben, 'Or coffee', { replyTo, notify: false });
    expect(quiet.replyTo).to.deep.include({ silent: true });
    expect(await mentionsOf(ann)).to.deep.equal([position]);
    await ben.send('message:edit', { messageId: quiet.id, body: 'Or coffee?' });
    expect(await mentionsOf(ann)).to.deep.equal([position]);
    await say(ann, 'Myself', { replyTo });
    await ann.send('block:create', { userId: ben.id });
    await say(ben, 'Hello?', { replyTo });
    expect(await mentionsOf(ann)).to.deep.equal([]);
  });

  it('quote only messages of the same timeline', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'other' });
    const elsewhere = await ann.send('message:send', { timelineId: channel.id, body: 'There' });
    for (const replyTo of [elsewhere.message.id, v7()])
      expect(
        (await ben.expectError('message:send', { timelineId, body: 'What?', replyTo })).code,
      ).to.equal('invalid');
    const { id: replyTo } = await say(ann, 'Here');
    expect((await say(ben, 'That!', { replyTo })).replyTo?.excerpt).to.equal('Here');
  });

  it('can quote a message sent at the same moment', async () => {
    const id = v7();
    const [first, second] = await Promise.all([
      say(ann, 'One', { id }),
      say(ann, 'Two', { replyTo: id }),
    ]);
    const { authorId, position, version } = first;
    expect(second.replyTo).to.deep.equal({ id, authorId, position, version, excerpt: 'One' });
  });

  it('never show a message of another timeline by an id that was refused here', async () => {
    const id = v7();
    const { channel } = await ann.send('channel:create', {
      serverId,
      name: 'secret',
      private: true,
    });
    const where = { timelineId: channel.id };
    await ann.send('message:send', { ...where, id, body: 'Secret' });
    const [refusal, reply] = await Promise.all([
      ben.expectError('message:send', { timelineId, body: 'Mine', id }),
      say(ben, 'To what?', { replyTo: id }).catch(() => undefined),
    ]);
    expect(refusal.code).to.equal('conflict');
    expect(JSON.stringify([reply, await newest(ben)])).to.not.contain('Secret');
  });
});
