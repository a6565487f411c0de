import { expect } from 'chai';
import type { BotScope } from '../../shared/bots.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { connectBot, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { isRightLockAwaited, withTableLock } from '../support/table-lock.ts';
import { until } from '../support/time.ts';
import { describeTopologies } from '../support/topologies.ts';

describe('the word filter of a server', () => {
  let app: TestApp;
  /** The owner, a moderator and a member. */
  let ann: Person;
  let mod: Person;
  let ben: Person;
  let serverId: string;
  let channelId: string;
  let code: string;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  beforeEach(async () => {
    [ann, mod, ben] = (await Promise.all(
      ['Ann', 'Mod', 'Ben'].map((name) => app.person(name)),
    )) as [Person, Person, Person];
    ({ serverId, channelId, code } = await openPlace(ann, mod, ben));
    await ann.send('member:update', { serverId, userId: mod.id, role: 'moderator' });
    await ann.send('wordFilter:set', { serverId, words: ['darn', 'buy now'] });
  });
  after(() => app.close());

  const say = (person: Person, body: string, timelineId = channelId) =>
    person.ask('message:send', { timelineId, body });
  const refusal = (entry: string) => ({
    code: 'forbidden',
    message: `This server doesn’t allow “${entry}” in messages.`,
  });
  const expectRefused = async (person: Person, body: string, entry: string) => {
    const result = await say(person, body);
    expect(result.ok, body).to.equal(false);
    if (!result.ok) expect(result.error).to.include(refusal(entry));
  };

  it('refuses messages of members, guests and bots, but not of moderators and the owner', async () => {
    const guest = await app.guest('Guest');
    await guest.send('server:join', { code });
    const { bot, token } = await ann.send('bot:create', { name: 'Herald', scopes: ['send'] });
    await ann.send('bot:add', { botId: bot.id, serverId });
    const herald = await connectBot(app.url, token);
    for (const person of [ben, guest, herald]) {
      await expectRefused(person, 'Oh DARN!', 'darn');
      expect(await say(person, 'Oh dear!')).to.include({ ok: true });
    }
    for (const person of [mod, ann]) expect(await say(person, 'darn')).to.include({ ok: true });
    herald.close();
  });

  it('accepts a message or edit that is stored already and sent again', async () => {
    const sent = await ben.send('message:send', { timelineId: channelId, body: 'Fine' });
    const { id: messageId } = sent.message;
    await ben.send('message:edit', { messageId, body: 'Good' });
    await ann.send('wordFilter:set', { serverId, words: ['fine', 'good'] });
    const again = { timelineId: channelId, body: 'Fine', id: messageId };
    expect((await ben.send('message:send', again)).message.body).to.equal('Good');
    const edited = await ben.send('message:edit', { messageId, body: 'Good' });
    expect(edited.message.body).to.equal('Good');
  });

  it('exempts moderator bots, starts no wait of slow mode, and names a time-out first', async () => {
    const scopes: BotScope[] = ['send', 'manage messages'];
    const { bot, token } = await ann.send('bot:create', { name: 'Warden', scopes });
    await ann.send('bot:add', { botId: bot.id, serverId });
    await ann.send('member:update', { serverId, userId: bot.id, role: 'moderator' });
    const warden = await connectBot(app.url, token);
    expect(await say(warden, 'darn')).to.include({ ok: true });
    warden.close();
    await ann.send('channel:update', { channelId, slowSeconds: 600 });
    await expectRefused(ben, 'darn', 'darn');
    expect(await say(ben, 'Sorry')).to.include({ ok: true });
    await ann.send('member:timeOut', { serverId, userId: ben.id, seconds: 60 });
    const result = await say(ben, 'darn');
    expect(result).to.have.nested.property('error.message').that.includes('timed out');
  });

  it('refuses edits', async () => {
    const sent = await ben.send('message:send', { timelineId: channelId, body: 'Fine' });
    const { id: messageId } = sent.message;
    const edit = { messageId, body: 'Buy  now' };
    expect(await ben.expectError('message:edit', edit)).to.include(refusal('buy now'));
  });

  it('applies to all channels of the server, and to nothing else', async () => {
    const secret = { serverId, name: 'secret', private: true, userIds: [ben.id] };
    const { channel } = await ann.send('channel:create', secret);
    expect(await say(ben, 'darn', channel.id)).to.include({ ok: false });
    const { server } = await ben.send('server:create', { name: 'Own' });
    expect(await say(ben, 'darn', server.defaultChannelId)).to.include({ ok: true });
    const other = await openPlace(ann, ben);
    expect(await say(ben, 'darn', other.channelId)).to.include({ ok: true });
    const { conversation } = await ben.send('conversation:create', { userIds: [mod.id] });
    expect(await say(ben, 'darn', conversation.id)).to.include({ ok: true });
  });

  it('is read and set by the owner only, and each change is in the audit log', async () => {
    for (const person of [mod, ben]) {
      expect((await person.expectError('wordFilter:get', { serverId })).code).to.equal('forbidden');
      const words = { serverId, words: [] };
      expect((await person.expectError('wordFilter:set', words)).code).to.equal('forbidden');
    }
    const words = ['Tea*', 'tea time', 'téa*'];
    const set = await ann.send('wordFilter:set', { serverId, words });
    expect(set).to.deep.equal({ words: ['Tea*', 'tea time'] });
    expect(await ann.send('wordFilter:get', { serverId })).to.deep.equal(set);
    const { entries } = await ann.send('audit:list', { serverId, actions: ['wordFilter:changed'] });
    expect(entries.map(({ detail }) => detail)).to.deep.equal(['2', '2']);
    await ann.send('wordFilter:set', { serverId, words: [] });
    expect(await say(ben, 'teapot')).to.include({ ok: true });
  });

  it('refuses entries that match nothing or nearly everything, and too many entries', async () => {
    const many = Array.from({ length: quotas.filteredWords + 1 }, (_, i) => `word${i}`);
    const long = 'x'.repeat(quotas.filteredWord + 1);
    const bad = ['', '*', 'a*', 'bـ*', 'ـ', '…', 'buy* now', '*darn', long];
    for (const words of [...bad.map((word) => [word]), many]) {
      const { code } = await ann.expectError('wordFilter:set', { serverId, words });
      expect(code, words[0]).to.equal('invalid');
    }
    const words = many.slice(1);
    await ann.send('wordFilter:set', { serverId, words });
    await expectRefused(ben, `Such ${words.at(-1)}`, words.at(-1)!);
  });
});

describe('a word filter that is set in the middle of a write', () => {
  it('waits for it', async () => {
    const app = await startPatientApp({ PARLEY_LOBBY: 'off' });
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { serverId, channelId } = await openPlace(ann, ben);
    const message = { timelineId: channelId, body: 'darn' };
    const { sending, setting } = await withTableLock(
      app.where,
      'messages',
      'share',
      async (blocked) => {
        const sending = ben.send('message:send', message);
        await blocked();
        const setting = ann.send('wordFilter:set', { serverId, words: ['darn'] });
        await until(() => isRightLockAwaited(app.db, serverId));
        return { sending, setting };
      },
    );
    expect((await sending).message.body).to.equal('darn');
    await setting;
    expect((await ben.expectError('message:send', message)).code).to.equal('forbidden');
    await app.close();
  });
});

describeTopologies('a word filter that is set while members write', (topology) => {
  it('stores no message with its words after the command is answered', async () => {
    const [ann, ben, cem] = (await Promise.all(
      Array.from({ length: 3 }, () => topology().person()),
    )) as [Person, Person, Person];
    const { serverId, channelId } = await openPlace(ann, ben, cem);
    const message = { timelineId: channelId, body: 'darn' };
    const newest = async () =>
      (await ann.send('message:list', { timelineId: channelId, limit: 1 })).messages[0]?.position;
    let isOver = false;
    const writing = [ben, cem].map(async (person) => {
      while (!isOver) await person.ask('message:send', message);
    });
    await until(async () => ((await newest()) ?? 0) > 5);
    await ann.send('wordFilter:set', { serverId, words: ['darn'] });
    const last = await newest();
    for (const person of [ben, cem])
      expect(await person.ask('message:send', message)).to.include({ ok: false });
    isOver = true;
    await Promise.all(writing);
    expect(await newest()).to.equal(last);
  });
});
