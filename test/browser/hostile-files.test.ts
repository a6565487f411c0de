/** Files that want to be more than files: refused, or harmless in a browser. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { plainType, shownTypes, type File } from '../../shared/files.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { closeWindows, message, openBrowser } from '../support/browser.ts';
import { upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { photo, picture } from '../support/pictures.ts';

/** Whatever of these runs says so. */
const script = 'alert(1);globalThis.harmed=1;fetch("/harmed")';
const page = `<!doctype html><title>harmed</title><script>${script}</script>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><script>${script}</script></svg>`;

/** Of all sorts, by what a browser could take them for. */
const texts = {
  html: page,
  'html after a mark of its order': `\ufeff${page}`,
  'html after spaces': `\n\n   ${page}`,
  'html in UTF-7': '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
  xhtml: `<html xmlns="http://www.w3.org/1999/xhtml"><script>${script}</script></html>`,
  svg: `<?xml version="1.0"?>${svg}`,
  'xml with a stylesheet': `<?xml version="1.0"?><?xml-stylesheet href="/harmed" type="text/xsl"?><a/>`,
  'xml with an entity': '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  mhtml: `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${page}`,
  script,
  module: `export default 1;${script}`,
  worker: `self.onfetch=()=>0;${script}`,
  stylesheet: '@import "/harmed"; body { background: url(/harmed) }',
  manifest: '{"start_url":"/harmed","scope":"/"}',
  pdf: `%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n${page}`,
  flash: `FWS\x06${page}`,
  'an icon': `\0\0\x01\0\x01\0${page}`,
  'a bitmap': `BM${page}`,
  'a tiff': `II*\0${page}`,
  'a zip': `PK\x03\x04${page}`,
  webassembly: '\0asm\x01\0\0\0',
  'a shortcut': `[InternetShortcut]\r\nURL=javascript:${script}\r\n`,
};

/** Of these a browser plays what it can, which is nothing. */
const media = {
  wav: `RIFF\0\0\0\0WAVE${page}`,
  mp3: `ID3${page}`,
  ogg: `OggS${page}`,
  mp4: `\0\0\0\x18ftypisom${page}`,
  webm: `\x1a\x45\xdf\xa3webm${page}`,
};

const names = [
  'page.html',
  'picture.png',
  'picture.svg',
  'picture.png.html',
  '<img src=x onerror=alert(1)>.htm',
  'a"; filename="page.html',
  "a'*;filename*=utf-8''b.html",
  '%2e%2e%2fpage.html',
  '.htaccess',
  `${'ü'.repeat(190)}.xhtml`,
];

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

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const hrefOf = ({ id, name }: File) => `/files/${id}/${encodeURIComponent(name)}`;
  const sent = (text: string, name: string) =>
    upload(ann, timelineId, Buffer.from(text, 'latin1'), name);

  it('are two hundred, of which none is anything to a browser but what we say', async () => {
    for (const name of names)
      for (const [what, text] of Object.entries(texts)) {
        const file = await sent(text, name);
        const response = await fetch(app.url + hrefOf(file), { headers: { cookie: ann.cookie } });
        const headers = Object.fromEntries(response.headers);
        expect(response.status, what).to.equal(200);
        expect(headers, `${what} as ${name}`).to.include({
          'content-type': plainType,
          'x-content-type-options': 'nosniff',
          'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
        });
        expect(headers['content-disposition']).to.match(
          /^attachment; filename\*=UTF-8''[\w.%!~-]+$/,
        );
        expect(headers).to.not.have.property('set-cookie');
      }
  });

  it('are refused by names that lead elsewhere, hide something or end a header', async () => {
    for (const name of refused) {
      const begun = await ann.fails('file:begin', { timelineId, name, size: 1 });
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

  it('run nothing when they are opened, nor where they are shown', async () => {
    const files: File[] = [];
    for (const [what, text] of Object.entries({ ...texts, ...media }))
      files.push(await sent(text, `${what}.html`));
    for (const bytes of await polyglots())
      files.push(await upload(ann, timelineId, bytes, 'a.html'));
    for (let i = 0; i < files.length; i += 10)
      await ann.send('message:send', {
        timelineId,
        body: `From ${i}`,
        files: files.slice(i, i + 10).map(({ id }) => ({ id })),
      });
    const window = await openBrowser(app, { as: ann, path });
    // What is no film after all cannot be played.
    window.forgive(/Failed to load resource|ERR_/);
    await message(window.page, 'From 0').waitFor();
    await window.page.getByRole('link', { name: /^html\.html/ }).waitFor();
    for (const file of files) await expectHarmless(window.page, file);
  });

  /** Opened in a tab of its own, as whoever is tricked into a link opens it. */
  async function expectHarmless(inside: Page, file: File) {
    const tab = await inside.context().newPage();
    const asked: string[] = [];
    tab.on('request', (request) => asked.push(request.url()));
    const dialogs: string[] = [];
    tab.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const isDownloaded = await tab.goto(app.url + hrefOf(file)).then(
      () => false,
      (error: unknown) => /Download is starting|ERR_ABORTED/.test(String(error)),
    );
    expect(isDownloaded, file.name).to.equal(file.type === plainType);
    expect(await tab.evaluate(() => 'harmed' in globalThis), file.name).to.equal(false);
    if (!isDownloaded) {
      expect(shownTypes).to.include(file.type);
      expect(await tab.evaluate(() => globalThis.origin), file.name).to.equal('null');
    }
    expect(await inside.evaluate(() => 'harmed' in globalThis)).to.equal(false);
    expect(dialogs).to.deep.equal([]);
    expect(asked.filter((url) => url.endsWith('/harmed'))).to.deep.equal([]);
    await tab.close();
  }
});

/** Pictures that are something else as well: those that can be read lose it, the others are no pictures. */
async function polyglots(): Promise<Buffer[]> {
  const png = await picture().png().toBuffer();
  return [
    await photo(page),
    Buffer.concat([png, Buffer.from(page)]),
    png.subarray(0, 50),
    Buffer.from(`GIF89a/*${page}*/=1;${script}`),
    Buffer.from(`\x89PNG\r\n\x1a\n${page}`, 'latin1'),
    Buffer.from(`\xff\xd8\xff${svg}`, 'latin1'),
  ];
}
