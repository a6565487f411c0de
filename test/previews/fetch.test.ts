import { expect } from 'chai';
import { fetchPage, lookupPublic } from '../../server/previews/fetch.ts';
import { html, openLinkedSite, titled, type LinkedSite } from '../support/linked-site.ts';

describe('reading a linked page', () => {
  let site: LinkedSite;
  let other: LinkedSite;

  before(async () => {
    [site, other] = await Promise.all([openLinkedSite(), openLinkedSite()]);
  });
  after(() => Promise.all([site.close(), other.close()]));

  const never = new AbortController().signal;
  const fetched = (address: string, sites = [site.origin]) =>
    fetchPage(new URL(address), { sites, charge: () => Promise.resolve() }, never);
  const read = async (address: string) => (await fetched(address).catch(() => undefined))?.html;
  const typed = (type: string, body: Buffer | string, headers = {}) => {
    const path = `/${encodeURIComponent(type)}/${Math.random()}`;
    return site.serve(path, (_request, response) =>
      response.writeHead(200, { 'content-type': type, ...headers }).end(body),
    );
  };

  it('follows up to three redirects, also relative ones', async () => {
    const page = site.serve('/tea', titled('Tea'));
    const moved = site.serve('/moved', (_request, response) =>
      response.writeHead(301, { location: '/tea' }).end(),
    );
    expect((await fetched(moved))?.url.href).to.equal(page);
    const round = site.serve('/round', (_request, response) =>
      response.writeHead(302, { location: '/round' }).end(),
    );
    expect(await read(round)).to.equal(undefined);
    expect(site.requestsFor('/round')).to.equal(4);
    const odd = site.serve('/odd', (_request, response) =>
      response.writeHead(302, { location: 'http://[' }).end(),
    );
    expect(await read(odd)).to.equal(undefined);
  });

  it('connects only to public addresses and default ports, also after a redirect', async () => {
    const hidden = other.serve('/hidden', titled('Hidden'));
    const leading = site.serve('/leading', (_request, response) =>
      response.writeHead(302, { location: hidden }).end(),
    );
    expect(await read(leading)).to.equal(undefined);
    expect(await read(hidden)).to.equal(undefined);
    expect(other.requestsFor('/hidden')).to.equal(0);
    // The same page, where the operator allows it.
    expect((await fetched(hidden, [other.origin]))?.html).to.include('Hidden');
    const { port } = new URL(other.origin);
    for (const address of [
      `http://localhost:${port}/hidden`,
      `http://[::ffff:127.0.0.1]:${port}/hidden`,
      'http://127.0.0.1/',
      'http://127.1/',
      'http://0x7f000001/',
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data',
      'http://[::1]/',
      'http://[fd00::1]/',
      'http://[::ffff:192.168.0.1]/',
      'https://9.9.9.9:8443/',
      'http://user:secret@9.9.9.9/',
      `http://user:secret@127.0.0.1:${new URL(site.origin).port}/`,
      'http://[64:ff9b:1::a9fe:a9fe]/',
      'http://198.18.0.1/',
      'ftp://9.9.9.9/',
      'file:///etc/passwd',
    ])
      expect(await fetched(address), address).to.equal(undefined);
    expect(other.requestsFor('/hidden')).to.equal(1);
  });

  it('does not connect to a host name with a private address', async () => {
    const found = await new Promise<unknown>((resolve) => {
      lookupPublic('localhost', { all: true }, resolve);
    });
    expect(found).to.be.an('error');
    const failed = await fetched('http://localhost/').catch((error: unknown) => error);
    expect(String(failed)).to.include('doesn’t resolve to public addresses only');
  });

  it('reads only uncompressed HTML with status 200', async () => {
    expect(await read(typed('text/html', titled('Tea')))).to.include('Tea');
    expect(await read(typed('application/xhtml+xml', titled('Tea')))).to.include('Tea');
    for (const type of ['text/plain', 'text/htmlx', 'application/json', 'image/png'])
      expect(await read(typed(type, titled('Tea'))), type).to.equal(undefined);
    const packed = typed('text/html', Buffer.from('packed'), { 'content-encoding': 'gzip' });
    expect(await read(packed)).to.equal(undefined);
    const gone = site.serve('/gone', (_request, response) =>
      response.writeHead(410, { 'content-type': 'text/html' }).end(titled('Gone')),
    );
    expect(await read(gone)).to.equal(undefined);
  });

  it('fails if the server is busy or changes the protocol', async () => {
    const busy = site.serve('/busy', (_request, response) => response.writeHead(503).end());
    const upgraded = site.serve('/upgraded', ({ socket }) =>
      socket.end('HTTP/1.1 101 Other\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    for (const address of [busy, upgraded, `${site.origin.replace(/\d+$/, '1')}/`])
      expect(await fetched(address, [new URL(address).origin]).catch(() => 'failed')).to.equal(
        'failed',
      );
  });

  it('charges each host once', async () => {
    const charged: string[] = [];
    const page = site.serve('/charged', (_request, response) =>
      response.writeHead(302, { location: other.serve('/end', titled('End')) }).end(),
    );
    const charge = (host: string) => Promise.resolve(void charged.push(host));
    const sites = [site.origin, other.origin];
    await fetchPage(new URL(page), { sites, charge }, never);
    expect(charged).to.deep.equal(['127.0.0.1']);
    const refuse = () => Promise.reject(new Error('too much'));
    const refused = fetchPage(new URL(page), { sites, charge: refuse }, never);
    expect(await refused.catch(() => 'refused')).to.equal('refused');
    expect(site.requestsFor('/charged')).to.equal(1);
  });

  it('decodes by the encoding that the page or its server declares', async () => {
    const tea = (charset: string) => `<meta charset="${charset}"><title>Thé</title>`;
    const latin = Buffer.from(tea('iso-8859-1'), 'latin1');
    expect(await read(typed('text/html', latin))).to.include('Thé');
    expect(await read(typed('text/html; charset=ISO-8859-1', latin))).to.include('Thé');
    const japanese = Buffer.from([0x3c, 0x74, 0x3e, 0x82, 0xa8, 0x92, 0x83]);
    expect(await read(typed('text/html; charset=Shift_JIS', japanese))).to.equal('<t>お茶');
    expect(await read(typed('text/html', tea('no-such-thing')))).to.include('Thé');
    const marked = Buffer.from(`\ufeff${tea('iso-8859-1')}`);
    expect(await read(typed('text/html', marked))).to.include('Thé');
  });

  it('stops at the body, at 512 kB, and after three seconds', async () => {
    let sent = 0;
    const endless = site.serve('/endless', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = () => {
        if (response.destroyed) return;
        sent += 65_536;
        response.write(' '.repeat(65_536), more);
      };
      more();
    });
    expect(await read(endless)).to.have.lengthOf(524_288);
    expect(sent).to.be.below(50_000_000);
    const body = site.serve('/body', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      // The answer never ends.
      response.write('<title>Tea</title></head><bo');
      response.write('dy>');
    });
    expect(await read(body)).to.include('Tea');
    const silent = site.serve('/silent', () => undefined);
    expect(await read(silent)).to.equal(undefined);
    const slow = site.serve('/slow', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('<'), 50);
      response.once('close', () => {
        clearInterval(timer);
      });
    });
    expect(await read(slow)).to.equal(undefined);
  });

  it('sends no cookies, and asks for nothing but HTML', async () => {
    let asked: NodeJS.Dict<string | string[]> = {};
    const page = site.serve('/asked', (request, response) => {
      asked = request.headers;
      html(titled('Tea'))(request, response);
    });
    await read(page);
    expect(asked).to.have.all.keys('user-agent', 'accept', 'accept-encoding', 'host', 'connection');
    expect(asked.accept).to.equal('text/html');
  });
});
