import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, inState, message, openBrowser, say } from '../support/browser.ts';
import { limits } from '../../shared/limits.ts';

describe('hostile text', () => {
  let app: TestApp;
  before(async () => void (app = await startSite()));
  afterEach(closeWindows);
  after(() => app.close());

  /** Each fits a channel's name. If run, it would set `harmed` or violate the policy. */
  const hostile = [
    '<img src=x onerror=harmed=1>',
    '<script>harmed=1</script>',
    '"><svg onload=harmed=1>',
    "' onfocus=harmed=1 autofocus='",
    'javascript:harmed=1',
    '</textarea><b onclick=harmed=1>',
    '<style>*{display:none}</style>',
    '<iframe srcdoc=<b>x</b>>',
    '{harmed=1} ${harmed=1}',
    '{@html "<b>bold</b>"}',
    '[x](javascript:harmed=1)',
    '&lt;b&gt; &#60;b&#62; &amp;',
    '<base href=//evil.example>',
  ];

  it('is shown as written everywhere, and nothing in it runs', async () => {
    const ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: `${hostile[0]}${hostile[1]}` });
    const { id: serverId, defaultChannelId: timelineId } = server;
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    const topic = hostile.slice(0, 8).join(' ');
    await ann.send('channel:update', { channelId: timelineId, topic });
    await ann.send('message:send', {
      timelineId,
      body: 'https://a.example/"onmouseover="harmed=1 data:text/html,<b>x</b> javascript://x%0aharmed=1',
    });
    for (const [i, text] of hostile.entries()) {
      const guest = await app.guest(text);
      await guest.send('server:join', { code });
      await guest.send('message:send', { timelineId, body: `${text} from ${i}` });
      await ann.send('channel:create', { serverId, name: text });
    }

    const { page } = await openBrowser(app, { path: `/join/${code}` });
    await page.getByRole('heading', { level: 1, name: server.name }).waitFor();
    const inside = await openBrowser(app, { as: ann, path: `/s/${serverId}/${timelineId}` });
    await message(inside.page, hostile.at(-1)!).waitFor();
    const members = inside.page.getByRole('complementary', { name: 'Members' });
    const channels = inside.page.getByRole('navigation', { name: 'Channels' });
    for (const [i, text] of hostile.entries()) {
      await message(inside.page, `${text} from ${i}`).waitFor();
      await members.getByText(text, { exact: true }).waitFor();
      await channels.getByText(text, { exact: true }).waitFor();
    }
    await inside.page.getByText(topic).first().waitFor();
    expect(await inside.page.title()).to.include(server.name);
    const hrefs = await inside.page
      .locator('article a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(hrefs).to.not.be.empty;
    for (const href of hrefs) expect(href).to.match(/^https?:\/\//);

    await channels.getByText(hostile[0]!, { exact: true }).click();
    await inside.page.getByRole('heading', { level: 1, name: hostile[0]! }).waitFor();
    await say(inside.page, hostile.join('\n'));
    await message(inside.page, hostile[1]!).waitFor();
    for (const each of [page, inside.page]) {
      expect(await each.evaluate(() => 'harmed' in globalThis)).to.equal(false);
      expect(await each.locator('#app :is(iframe, base, img, style, script)').count()).to.equal(0);
    }
  });

  describe('long text', () => {
    const honest = 'See **the notes** of _today_, `main` and https://a.example/notes. '
      .repeat(100)
      .slice(0, limits.body - 1);
    /** Each took seconds before a fix, or would have at ten times the length. */
    const bodies = [
      '(http://['.repeat(200) + ')'.repeat(2_200),
      '[a](http://x'.repeat(330),
      '*a '.repeat(660) + 'a_ '.repeat(660),
      'a\n\n'.repeat(1_300),
    ].map((body) => body.slice(0, limits.body - 1));

    /** Counts in the page how often each body is split into lines. */
    function watch(texts: string[]) {
      const reads = texts.map(() => 0);
      const split = Reflect.get(String.prototype, 'split') as (...input: unknown[]) => string[];
      // An anonymous function, because tsx wraps named ones in a helper that pages lack.
      String.prototype.split = function (this: string, ...input: unknown[]) {
        const which = input[0] === '\n' ? texts.findIndex((text) => this.startsWith(text)) : -1;
        if (which >= 0) reads[which] = (reads[which] ?? 0) + 1;
        return Reflect.apply(split, this, input);
      };
      Object.assign(globalThis, { reads });
    }
    const readsBy = () => (globalThis as unknown as { reads: number[] }).reads;

    it('blocks a page little longer than honest text, and is parsed once', async () => {
      const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
      const { server } = await ann.send('server:create', { name: 'Long' });
      const timelineId = server.defaultChannelId;
      const { code } = (await ann.send('invite:create', { serverId: server.id })).invite;
      await ben.send('server:join', { code });
      const { page } = await openBrowser(app, { as: ben, path: `/s/${server.id}/${timelineId}` });
      await page.locator('#composer').waitFor();
      await page.evaluate(watch, bodies);
      const worked = await watchWork(page);

      const rounds = 3;
      const took = new Map<string, number>();
      const each = Array.from({ length: rounds }, () => [honest, ...bodies]).flat();
      for (const [i, body] of each.entries()) {
        const before = await worked();
        // Another text in each round, because the page does not parse the same text twice.
        const round = Math.floor(i / (1 + bodies.length));
        await ann.send('message:send', { timelineId, body: `${body}${round}` });
        const marker = `after ${i}`;
        await ann.send('message:send', { timelineId, body: marker });
        await message(page, marker).waitFor();
        // The shortest of the rounds, because the page can have other work in one of them.
        took.set(body, Math.min((await worked()) - before, took.get(body) ?? Infinity));
      }
      const quiet = took.get(honest) ?? 0;
      for (const body of bodies)
        expect(took.get(body)).to.be.below(10 * Math.max(quiet, 50), body.slice(0, 20));
      // Only the beginning of a message with many lines is parsed.
      const expected = bodies.map((body) => (body.includes('\n') ? 0 : rounds));
      expect(await page.evaluate(readsBy)).to.deep.equal(expected);
    });

    it('is parsed once on the page of its author, too', async () => {
      const ann = await app.person('Ann');
      const { server } = await ann.send('server:create', { name: 'Alone' });
      const path = `/s/${server.id}/${server.defaultChannelId}`;
      const { page } = await openBrowser(app, { as: ann, path });
      await page.locator('#composer').waitFor();
      const body = `It **was** said ${'(http://['.repeat(200)}`;
      await page.evaluate(watch, [body]);
      await say(page, body);
      await inState(message(page, /It was said/), 'sent').waitFor();
      await say(page, 'and then');
      await inState(message(page, 'and then'), 'sent').waitFor();
      expect(await page.evaluate(readsBy)).to.deep.equal([1]);
    });
  });
});

/** Milliseconds that the page's main thread has worked: other work of the machine does not count. */
async function watchWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
}
