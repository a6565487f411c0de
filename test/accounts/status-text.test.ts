import { expect } from 'chai';
import { dailyRates, limits } from '../../shared/limits.ts';
import type { Input } from '../../shared/protocol.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { connectBot, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

type StatusText = Input<'user:update'>['statusText'];

describe('a status text', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let channelId: string;

  before(async () => void (app = await startApp()));
  after(() => app.close());
  beforeEach(async () => {
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    ({ serverId, channelId } = await openPlace(ann, ben));
  });

  const say = async (statusText: StatusText, person = ann) =>
    (await person.send('user:update', { statusText })).user;
  const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
  /** The status text that a newly connected client receives. */
  const seenBy = async (reader: Person, person = ann) => {
    const tab = await reader.newTab();
    const entry = await tab.send('server:open', { serverId });
    tab.close();
    return 'people' in entry ? entry.people[person.id]?.statusText : undefined;
  };

  it('reaches everyone who shares a place, and lasts until it is removed', async () => {
    await ben.send('server:open', { serverId });
    const statusText = { emoji: '🌴', text: 'Back on Monday', until: soon(3_600_000) };
    const { rev } = await say(statusText);
    const { people } = await ben.waitFor('people', ({ people }) => ann.id in people);
    expect(people[ann.id]).to.deep.include({ statusText, rev });
    expect(await seenBy(ben)).to.deep.equal(statusText);
    expect((await ann.newTab()).ready.you.statusText).to.deep.equal(statusText);
    expect((await say(statusText)).rev, 'the same again').to.equal(rev);
    expect((await ann.send('user:update', { displayName: 'Anna' })).user).to.deep.include({
      ...{ statusText, name: 'Anna' },
    });
    expect(await say(null)).to.not.have.property('statusText');
    expect(await seenBy(ben)).to.equal(undefined);
  });

  it('is hidden after its end, without an update', async () => {
    await say({ text: 'In a meeting', until: soon(1_500) });
    await until(async () => (await seenBy(ben)) === undefined);
    expect((await ann.newTab()).ready.you).to.not.have.property('statusText');
    await say({ text: 'Long ago', until: soon(-1_000) });
    expect(await seenBy(ben)).to.equal(undefined);
  });

  it('comes with messages and search results', async () => {
    await say({ text: 'Here' });
    await ann.send('message:send', { timelineId: channelId, body: 'Hello' });
    const { people } = await ben.send('message:list', { timelineId: channelId });
    expect(people[ann.id]?.statusText).to.deep.equal({ text: 'Here' });
    const query = ann.user.username!;
    const { users } = await ben.send('user:search', { query });
    expect(users.find(({ id }) => id === ann.id)?.statusText).to.deep.equal({ text: 'Here' });
  });

  it('can be an emoji alone, and a line of up to 80 characters', async () => {
    expect((await say({ emoji: '👩‍👩‍👧‍👦', text: '' })).statusText).to.deep.equal({
      ...{ emoji: '👩‍👩‍👧‍👦', text: '' },
    });
    const longest = '😀'.repeat(limits.statusText);
    expect((await say({ text: `  ${longest} ` })).statusText).to.deep.equal({ text: longest });
    for (const wrong of [
      { text: '' },
      { text: '  ' },
      { text: `${longest}x` },
      { text: 'two\nlines' },
      { text: 'hidden\u202etext' },
      { emoji: ':party:', text: '' },
      { emoji: 'ab', text: 'x' },
      { text: 'x', until: 'tomorrow' },
      { text: 'x', until: '0000-01-01T00:00:00Z' },
      { text: 'x', until: `2099-01-01T00:00:00.${'0'.repeat(1_000)}Z` },
    ])
      expect(
        (await ann.expectError('user:update', { statusText: wrong })).code,
        JSON.stringify(wrong),
      ).to.equal('invalid');
    expect(await seenBy(ben)).to.deep.equal({ text: longest });
  });

  it('can be set by guests, but not by bots', async () => {
    const { token } = await ann.send('bot:create', { name: 'Echo' });
    const bot = await connectBot(app.url, token);
    const statusText = { text: 'Beep' };
    expect((await bot.expectError('user:update', { statusText })).code).to.equal('forbidden');
    const guest = await app.guest('Gus');
    expect((await say({ text: 'Just looking' }, guest)).statusText?.text).to.equal('Just looking');
  });
});

describe('the limit of status texts', () => {
  it('is separate from the limit of names, and has its own message', async () => {
    const app = await startStrictApp();
    try {
      const ann = await app.person('Ann');
      const say = (text: string) => ann.ask('user:update', { statusText: { text } });
      let answer = await say('0');
      for (let i = 1; answer.ok && i <= dailyRates.statusText.points; i += 1) {
        answer = await say(String(i));
        app.pass(60_000);
      }
      expect(answer).to.have.nested.property('error.code', 'rate_limited');
      expect(answer).to.have.nested.property(
        'error.message',
        'You’ve changed your status too often today. Try again tomorrow.',
      );
      expect((await ann.send('user:update', { displayName: 'Anna' })).user.name).to.equal('Anna');
      const { user } = await ann.send('user:update', { statusText: null });
      expect(user.statusText, 'removed').to.equal(undefined);
    } finally {
      await app.close();
    }
  });
});
