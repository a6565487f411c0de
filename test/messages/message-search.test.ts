import { expect } from 'chai';
import { v7 } from 'uuid';
import { fill } from '../../server/search/filling.ts';
import { isQueued } from '../../server/search/store.ts';
import { rowsOf } from '../../server/search/rows.ts';
import { commandRates, limits } from '../../shared/limits.ts';
import { mentionOf } from '../../shared/mentions.ts';
import type { Input } from '../../shared/protocol.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { fillTimelines } from '../support/full.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

describe('search for messages', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let timelineId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann Smith'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    serverId = server.id;
    timelineId = server.defaultChannelId;
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await ben.send('server:join', { code });
  });
  afterEach(() => {
    for (const person of [ann, ben]) person.close();
  });
  after(() => app.close());

  const say = async (body: string, by = ann, where = timelineId) =>
    (await by.send('message:send', { timelineId: where, body })).message.id;

  /** Repeats `fill`, because it does nothing while the node itself fills the index. */
  const fillAll = () =>
    until(async () => {
      await fill(app);
      return !(await isQueued(app.db));
    });

  async function found(
    query: string,
    by = ann,
    more: Partial<Input<'message:search'>> = {},
  ): Promise<string[]> {
    const bodies: string[] = [];
    let before: string | undefined;
    do {
      const page = await by.send('message:search', { query, ...more, ...(before && { before }) });
      bodies.push(...page.hits.map(({ message }) => message.body));
      before = page.more;
    } while (before !== undefined);
    return bodies;
  }

  async function finds(query: string, bodies: string[], by = ann) {
    expect(await found(query, by), `${query}, at once`).to.deep.equal(bodies);
    await fillAll();
    expect(await found(query, by), `${query}, later`).to.deep.equal(bodies);
  }

  it('finds messages with all words or parts of words, the newest first', async () => {
    for (const body of ['Tea at four', 'Cake at five', 'The teapot is broken']) await say(body);
    await finds('tea', ['The teapot is broken', 'Tea at four']);
    await finds('AT e', ['Cake at five', 'Tea at four']);
    await finds('"at f"', ['Cake at five', 'Tea at four']);
    await finds('four tea', ['Tea at four']);
    await finds('"four tea"', []);
    await finds('eapo broken', ['The teapot is broken']);
    for (const sign of ['%', '_', '\\', "'", '$1', '::']) await finds(sign, []);
  });

  it('finds words in any script, regardless of case, accents and spaces', async () => {
    const spellings: [body: string, queries: string[]][] = [
      ['Crème brûlée, s’il vous plaît', ['creme', 'BRULEE', 'brûlée', '"creme brulee"']],
      ['Straße nach Øresund', ['strasse', 'oresund', 'STRASSE']],
      ['今日は東京タワーに行きました', ['東京', 'タワー', '京タ', '行きました']],
      ['你好世界，我们明天见', ['世界', '明天', '们明', '见']],
      ['안녕하세요 세계', ['안녕', '세계', '하세']],
      ['مُحَمَّد قال السلام عليكم', ['محمد', 'السلام', 'سلا']],
      ['Привет, Ёжик!', ['привет', 'ежик', 'ИВЕ']],
      ['Ο Οδυσσεύς', ['οδυσσευς', 'ΟΔΥΣΣΕΥΣ']],
      ['ｆｕｌｌ　ｗｉｄｔｈ', ['full', '"full width"']],
      ['नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
      ['Party 🎉 tonight', ['🎉', 'party 🎉']],
      ['C++ and c#, v1.2', ['c++', 'C#', 'v1.2']],
      ['one\n\n  two', ['"one two"']],
    ];
    for (const [body] of spellings) await say(body);
    for (const round of ['at once', 'later']) {
      for (const [body, queries] of spellings)
        for (const query of queries)
          expect(await found(query), `${query} ${round}`).to.include(body);
      expect(await found('京東'), round).to.be.empty;
      expect(await found('سلامة'), round).to.be.empty;
      await fillAll();
    }
  });

  it('filters by author, place, mention, content and date', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'garden' });
    await say('Hello from Ann', ann);
    await say(`Hello ${mentionOf(ann.id)}, says Ben`, ben);
    await say('Hello https://example.com `code`', ben, channel.id);
    const hello = 'Hello https://example.com `code`';
    const called = `Hello ${mentionOf(ann.id)}, says Ben`;
    await finds('hello from:me', ['Hello from Ann']);
    await finds('from:"ann smith"', ['Hello from Ann']);
    await finds(`from:@${ben.user.username}`, [hello, called]);
    await finds(`from:${mentionOf(ben.id)} says`, [called]);
    await finds(`from:me from:${mentionOf(ben.id)} hello`, [hello, called, 'Hello from Ann']);
    await finds('mentions:me', [called]);
    await finds(`mentions:${mentionOf(ben.id)}`, []);
    await finds('in:garden', [hello]);
    await finds(`in:<#${channel.id}> HELLO`, [hello]);
    await finds('in:nowhere hello', []);
    await finds('from:nobody hello', []);
    await finds('has:link', [hello]);
    await finds('has:code has:link', [hello]);
    await finds('has:image', []);
    const day = (days: number) =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    await finds(`hello before:${day(1)} after:${day(-1)} in:garden`, [hello]);
    await finds(`hello before:${day(0)}`, []);
    await finds(`hello after:${day(0)}`, []);
    // A mention is not searchable as a word.
    await finds(ann.id.slice(0, 8), []);
  });

  it('finds pictures and other files, with words or without', async () => {
    const { fileId } = await ann.send('file:begin', { timelineId, name: 'list.txt', size: 3 });
    await ann.send('file:chunk', { fileId, offset: 0, bytes: Buffer.from('tea') });
    await ann.send('file:finish', { fileId });
    await ann.send('message:send', { timelineId, files: [{ id: fileId }] });
    await finds('has:file', ['']);
    await finds('has:file has:image', []);
  });

  it('follows edits and deletions from the commit on, and omits lines written by the service', async () => {
    const messageId = await say('Tea at four');
    for (const isFilled of [false, true]) {
      if (isFilled) await fillAll();
      await ann.send('message:edit', { messageId, body: 'Coffee at four' });
      expect(await found('tea')).to.be.empty;
      expect(await found('coffee')).to.deep.equal(['Coffee at four']);
      if (isFilled) await fillAll();
      expect(await found('coffee')).to.deep.equal(['Coffee at four']);
      await ann.send('message:edit', { messageId, body: 'Tea at four' });
      expect(await found('coffee')).to.be.empty;
    }
    await ann.send('message:pin', { messageId, on: true });
    await fillAll();
    await finds(`from:me in:<#${timelineId}>`, ['Tea at four']);
    await ann.send('message:delete', { messageId });
    await finds('tea', []);
    await finds('from:me', []);
  });

  it('shows only messages visible at that moment', async () => {
    const wanted = { serverId, name: 'secret', private: true };
    const { id: secret } = (await ann.send('channel:create', wanted)).channel;
    await say('Tea in secret', ann, secret);
    await say('Tea for all');
    const { id: talk } = (await ann.send('conversation:create', { userIds: [ben.id] }))
      .conversation;
    await say('Tea for two', ann, talk);
    const cleo = await app.person('Cleo');
    await finds('tea', ['Tea for two', 'Tea for all', 'Tea in secret']);
    await finds('tea', ['Tea for two', 'Tea for all'], ben);
    await finds('tea', [], cleo);
    await ann.send('channel:addMember', { channelId: secret, userId: ben.id });
    await finds('tea', ['Tea for two', 'Tea for all', 'Tea in secret'], ben);
    expect(await found('tea', ben, { timelineId: secret })).to.deep.equal(['Tea in secret']);
    expect(await found('tea', ben, { serverId })).to.deep.equal(['Tea for all', 'Tea in secret']);
    await ann.send('member:remove', { serverId, userId: ben.id });
    await finds('tea', ['Tea for two'], ben);
    for (const where of [{ timelineId: secret }, { serverId }, { timelineId: v7() }])
      expect((await ben.expectError('message:search', { query: 'tea', ...where })).code).to.equal(
        'not_found',
      );
    await ann.send('server:delete', { serverId });
    await finds('tea', ['Tea for two']);
    cleo.close();
  });

  it('finds nicknames only of joined servers', async () => {
    await ann.send('member:update', { serverId, userId: ben.id, nickname: 'Benjamin' });
    const cleo = await app.person('Cleo');
    const { server } = await cleo.send('server:create', { name: 'Else' });
    const { code } = (await cleo.send('invite:create', { serverId: server.id })).invite;
    await ben.send('server:join', { code });
    await say('Said by Ben', ben, server.defaultChannelId);
    await say('Said by Ben here', ben);
    await finds('from:benjamin', ['Said by Ben here']);
    await finds('from:benjamin', [], cleo);
    await finds('from:ben said', ['Said by Ben'], cleo);
    cleo.close();
  });

  it('returns the messages around a hit, their authors and the number of hits', async () => {
    for (const body of ['First', 'Tea', 'Last']) await say(body, ben);
    await fillAll();
    const { hits, people, atLeast, more } = await ann.send('message:search', { query: 'tea' });
    expect(
      hits.map(({ message, before, after }) =>
        [before, message, after].flat().map(({ body }) => body),
      ),
    ).to.deep.equal([['First', 'Tea', 'Last']]);
    expect(people).to.include.keys(ben.id);
    expect({ atLeast, more }).to.deep.equal({ atLeast: 1, more: undefined });
  });

  it('returns pages with each hit once, even if messages are queued meanwhile, and counts the hits seen', async () => {
    const bodies = Array.from({ length: 60 }, (_, i) => `Cup number ${i}`);
    for (const [i, body] of bodies.entries()) {
      await say(body);
      if (i === 20) await fillAll();
    }
    const newest = bodies.toReversed();
    expect(await found('cup', ann, { limit: 7 })).to.deep.equal(newest);
    const first = await ann.send('message:search', { query: 'cup', limit: 20 });
    expect(first.atLeast).to.equal(60);
    await fillAll();
    await say('Cup that is new');
    const rest = await found('cup', ann, { before: first.more, limit: 20 });
    expect(rest).to.deep.equal(newest.slice(20));
  });

  it('returns the best matches first on request, each once', async () => {
    for (const body of ['tea', 'steamy teas', 'the team has tea', 'steam']) await say(body);
    await fillAll();
    const first = await ann.send('message:search', { query: 'tea', order: 'best', limit: 1 });
    const next = await ann.send('message:search', {
      query: 'tea',
      order: 'best',
      before: first.more,
    });
    expect([first.atLeast, next.atLeast]).to.deep.equal([4, 3]);
    for (const limit of [1, 2, 10])
      expect(await found('tea', ann, { order: 'best', limit }), String(limit)).to.deep.equal([
        'the team has tea',
        'tea',
        'steam',
        'steamy teas',
      ]);
  });

  it('limits a page to the size of an answer, and returns the rest with the next page', async () => {
    const body = `tea ${'\u0001'.repeat(limits.body - 4)}`;
    await fillTimelines(app, [timelineId], { authorId: ann.id, body, many: 30 });
    const page = await ann.send('message:search', { query: 'tea' });
    expect(Buffer.byteLength(JSON.stringify(page))).to.be.within(
      limits.answerBytes / 2,
      limits.answerBytes,
    );
    expect(await found('tea')).to.have.length(30);
    expect(await found('tea', ann, { order: 'best' })).to.have.length(30);
  });

  it('is prepared in pieces: other work has a turn after every 8,192 letters at most', async () => {
    const messages = Array.from({ length: 64 }, (_, at) => ({
      ...{ id: v7(), at, timelineId, authorId: ann.id, files: null },
      body: 'word '.repeat(200),
    }));
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const rows = await rowsOf(messages, new Map());
    isDone = true;
    expect(turns).to.be.at.least(64_000 / 8_192);
    expect(rows.map(({ id }) => id)).to.deep.equal(messages.map(({ id }) => id));
  });

  it('charges more for the best order, and for words that the index cannot find', async () => {
    const strict = await startStrictApp();
    const { points } = commandRates.find;
    const eve = await strict.person('Eve');
    const place = await openPlace(eve);
    const askedBy = async (who: Person, input: object): Promise<number> => {
      let asked = 0;
      while ((await who.ask('message:search', { query: 'tea', ...input })).ok) asked += 1;
      return asked;
    };
    const costs: [points: number, input: object][] = [
      [1, {}],
      [1, { query: 'tea x' }],
      [1, { query: 'x from:eve' }],
      [1, { query: 'x', timelineId: place.channelId }],
      [1, { query: 'after:2020-01-31' }],
      [4, { order: 'best' }],
      [10, { query: 'x' }],
      [10, { query: 'to be or' }],
    ];
    for (const [cost, input] of costs) {
      strict.pass(commandRates.find.seconds * 1_000);
      expect(await askedBy(eve, input), JSON.stringify(input)).to.equal(Math.floor(points / cost));
    }
    await strict.close();
  });

  it('explains the error in a query', async () => {
    const problems: [query: string, message: RegExp][] = [
      ['', /Enter something/],
      [' ""', /Enter something/],
      ['tea from:', /after from:/],
      ['has:tea', /link, image, file, code/],
      ['before:yesterday', /2026-01-31/],
      ['after:2026-02-30', /2026-01-31/],
      ['in:x '.repeat(21), /up to 20/],
      ['x '.repeat(9), /up to 8 words, or quotes/],
      ['x'.repeat(limits.searchQuery + 1), /at most/],
    ];
    for (const [query, message] of problems) {
      const failure = await ann.expectError('message:search', { query });
      expect(failure.code, query).to.equal('invalid');
      expect(failure.message, query).to.match(message);
    }
    for (const before of ['x', '1.2', `zzzzzzzzzzzzz.${v7()}`])
      expect((await ann.expectError('message:search', { query: 'tea', before })).code).to.equal(
        'invalid',
      );
    await finds('https://nowhere 10:30 with:', []);
  });
});
