import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { plainType, shownTypes } from '../../shared/file-types.ts';
import type { File } from '../../shared/files.ts';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, message, openBrowser } from '../support/browser.ts';
import { upload } from '../support/files.ts';
import { hostileNames, media, polyglots, texts } from '../support/hostile-files.ts';
import { atLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';

const refused = [
  '../page.html',
  '..\\page.html',
  'a/b',
  'page\0.png',
  'a\r\nSet-Cookie: harmed=1',
  'gpj.\u202elmth',
  'a\u2028b',
  '\u200b',
  '',
  'x'.repeat(201),
];

describe('hostile files', () => {
  let app: TestApp;
  let ann: Person;
  let timelineId: string;
  let path: string;

  /** Every text under every name. The short form has each text under some name, and each name for a few texts. */
  const all: File[] = [];
  const pairs = hostileNames
    .flatMap((name) => Object.values(texts).map((text) => ({ name, text })))
    .filter((_, i) => i % atLength(9, 1) === 0);

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
    for (const { name, text } of pairs) all.push(await sent(text, name));
  });
  afterEach(closeWindows);
  after(() => app.close());

  const hrefOf = ({ id, name }: File) => `/files/${id}/${encodeURIComponent(name)}`;
  const sent = (text: string, name: string) =>
    upload(ann, timelineId, Buffer.from(text, 'latin1'), name);

  it('are of every kind and name, and are served only as plain downloads', async () => {
    expect(pairs.map(({ text }) => text)).to.include.members(Object.values(texts));
    expect(pairs.map(({ name }) => name)).to.include.members(hostileNames);
    expect(all).to.have.length.above(atLength(24, 200));
    for (const file of all) {
      const response = await fetch(app.url + hrefOf(file), { headers: { cookie: ann.cookie } });
      const headers = Object.fromEntries(response.headers);
      expect(response.status, file.name).to.equal(200);
      expect(headers, file.name).to.include({
        'content-type': plainType,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      });
      expect(headers['content-disposition']).to.match(/^attachment; filename\*=UTF-8''[\w.%!~-]+$/);
      expect(headers).to.not.have.property('set-cookie');
    }
  });

  it('are refused if their names lead elsewhere, hide something or end a header', async () => {
    for (const name of refused) {
      const begun = await ann.expectError('file:begin', { timelineId, name, size: 1 });
      expect(begun, name).to.include({ code: 'invalid', field: 'name' });
    }
    for (const name of ['%2e%2e%2fa', 'a%0d%0aSet-Cookie:%20b', 'a%00b']) {
      const put = await fetch(`${app.url}/api/channels/${timelineId}/files/${name}`, {
        method: 'PUT',
        body: 'tea',
        headers: { cookie: ann.cookie },
      });
      expect(put.status, name).to.equal(400);
      expect(put.headers.get('set-cookie')).to.equal(null);
    }
  });

  it('run nothing when they are shown or opened', async () => {
    const shown: File[] = [];
    for (const [what, text] of Object.entries({ ...texts, ...media }))
      shown.push(await sent(text, `${what}.html`));
    for (const bytes of await polyglots())
      shown.push(await upload(ann, timelineId, bytes, 'a.html'));
    for (let i = 0; i < shown.length; i += 10)
      await ann.send('message:send', {
        timelineId,
        body: `From ${i}`,
        files: shown.slice(i, i + 10).map(({ id }) => ({ id })),
      });
    const window = await openBrowser(app, { as: ann, path });
    // Files that turn out to be no video cannot be played.
    window.forgive(/Failed to load resource|ERR_/);
    const canary = await listenForHarm(window.page);
    await message(window.page, 'From 0').waitFor();
    await window.page.getByRole('link', { name: /^html\.html/ }).waitFor();
    const tab = await window.page.context().newPage();
    for (const file of [...shown, ...all]) await openIn(tab, file);
    await canary.expectSilent();
  });

  it('run nothing in a page of this origin that embeds them in every way and has no policy', async () => {
    const { page, canary } = await pageWithoutPolicy();
    for (let i = 0; i < all.length; i += 55) await embed(page, all.slice(i, i + 55).map(hrefOf));
    await canary.expectSilent();
  });

  /** The control: served with these types, the files run. So the silence of the other tests proves something. */
  const types = {
    html: 'text/html',
    'html after spaces': undefined,
    xhtml: 'application/xhtml+xml',
    svg: 'image/svg+xml',
    script: 'text/javascript',
    module: 'text/javascript',
    worker: 'text/javascript',
    stylesheet: 'text/css',
    'xml with a stylesheet': 'text/xml',
  } as const;
  it('would run if each were served with its own type', async () => {
    const { page, canary } = await pageWithoutPolicy();
    for (const [what, type] of Object.entries(types)) {
      const body = texts[what as keyof typeof types];
      const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
      await page.route(/\/files\//, (route) => route.fulfill({ body, headers }));
      // A new document ends everything that the previous file runs.
      await page.goto(`${app.url}/hollow`);
      canary.forget();
      await embed(page, [`/files/x/${encodeURIComponent(what)}`]);
      await canary.expectEvent(what);
    }
  });

  /** A page of this origin without a content security policy. */
  async function pageWithoutPolicy() {
    const window = await openBrowser(app, { as: ann, path: undefined });
    window.forgive(/^/);
    const { page } = window;
    await page.route(`${app.url}/hollow`, (route) =>
      route.fulfill({ body: '<!doctype html><p>Hollow', headers: { 'Content-Type': 'text/html' } }),
    );
    const canary = await listenForHarm(page);
    await page.goto(`${app.url}/hollow`);
    return { page, canary };
  }

  /** Opens a file in a tab, as a person does who was tricked into a link. */
  async function openIn(tab: Page, file: File) {
    const isDownloaded = await tab.goto(app.url + hrefOf(file)).then(
      () => false,
      (error: unknown) => /Download is starting|ERR_ABORTED/.test(String(error)),
    );
    expect(isDownloaded, file.name).to.equal(file.type === plainType);
    expect(await tab.evaluate(() => 'harmed' in globalThis), file.name).to.equal(false);
    if (isDownloaded) return;
    expect(shownTypes).to.include(file.type);
    expect(await tab.evaluate(() => globalThis.origin), file.name).to.equal('null');
  }
});

/** Records all harm in a window: requests, dialogs, and marks left in the page. */
async function listenForHarm(page: Page) {
  const context = page.context();
  const events: string[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/harmed')) events.push(`asked by ${request.frame().url()}`);
  });
  context.on('dialog', (dialog) => {
    events.push(dialog.message());
    // The window dismisses its own dialogs.
    if (dialog.page() !== page) void dialog.dismiss();
  });
  await context.route(/\/harmed$/, (route) => route.fulfill({ body: '' }));
  const marked = async () =>
    Promise.all(context.pages().map((one) => one.evaluate(() => 'harmed' in globalThis)));
  return {
    async expectSilent() {
      expect(await marked()).to.not.include(true);
      expect(events).to.deep.equal([]);
    },
    expectEvent: (what: string) =>
      until(
        () => events.length > 0,
        () => what,
      ),
    forget: () => void (events.length = 0),
  };
}

/** Embeds each file in all elements that take an address, until each has loaded or failed. */
const embed = (page: Page, hrefs: string[]): Promise<void> =>
  page.evaluate(`(${embedding})(${JSON.stringify(hrefs)})`);

/** As text: see page-scripts.ts. */
const embedding = `async (hrefs) => {
  const settled = (element) => new Promise((resolve) => {
    for (const name of ['load', 'error', 'loadeddata']) element.addEventListener(name, resolve);
    setTimeout(resolve, 1_000);
  });
  const add = (name, given) => {
    const element = Object.assign(document.createElement(name), given);
    const done = settled(element);
    document.body.append(element);
    return done;
  };
  const workers = [];
  const work = (href, options) => new Promise((resolve) => {
    const worker = new Worker(href, options);
    workers.push(worker);
    worker.onerror = worker.onmessage = resolve;
    setTimeout(resolve, 1_000);
  });
  await Promise.all(hrefs.flatMap((href) => [
    add('img', { src: href }),
    add('iframe', { src: href }),
    add('object', { data: href }),
    add('embed', { src: href }),
    add('script', { src: href }),
    add('script', { src: href, type: 'module' }),
    add('link', { rel: 'stylesheet', href }),
    add('link', { rel: 'manifest', href }),
    add('audio', { src: href }),
    add('video', { src: href, poster: href }),
    import(href).catch(() => undefined),
    work(href),
    work(href, { type: 'module' }),
    navigator.serviceWorker.register(href).catch(() => undefined),
  ]));
  for (const worker of workers) worker.terminate();
  document.body.replaceChildren();
}`;
