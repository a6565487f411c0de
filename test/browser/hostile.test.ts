/** What wants to be more than text stays text. */
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { closeWindows, message, openBrowser, say } from '../support/browser.ts';

describe('hostile text', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  afterEach(closeWindows);
  after(() => app.close());

  /** Each fits a channel's name. Whichever ran would set `harmed`, or break the policy. */
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

  it('is shown as it was written, wherever it stands, and nothing of it runs', async () => {
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
});
