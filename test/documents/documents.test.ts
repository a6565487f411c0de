import { brotliDecompressSync } from 'node:zlib';
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { contractFiles } from '../../scripts/docs/for-tools.ts';
import { commands } from '../../shared/protocol.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { replyOf } from '../support/auth.ts';

interface Raw {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const pages = ['/docs', '/docs/reference', '/docs/wire', '/docs/bots'];

describe('the documents of a running Parley', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  const get = (path: string, init?: RequestInit) => fetch(`${app.url}${path}`, init);

  /** Uses no `fetch`, because it decompresses the body and bypasses all caches. */
  const getRaw = (path: string, headers: OutgoingHttpHeaders) =>
    new Promise<Raw>((resolve, reject) => {
      const asked = request(`${app.url}${path}`, { headers }, (response) => {
        const { statusCode: status, headers } = response;
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve({ status, headers, body: Buffer.concat(parts) }));
      });
      asked.on('error', reject).end();
    });

  it('have a page for each command, and the contract for tools', async () => {
    const reference = await (await get('/docs')).text();
    for (const name of Object.keys(commands))
      expect(reference).to.include(`<h3 id="${name.replace(':', '').toLowerCase()}">${name}</h3>`);
    for (const [name, fresh] of Object.entries(contractFiles)) {
      const response = await get(`/docs/${name}`);
      expect(response.headers.get('content-type')).to.match(/^application\/json/);
      expect(await response.text()).to.equal(fresh());
    }
  });

  it('have no broken links to pages or to parts of pages', async () => {
    const texts = new Map<string, string>();
    const read = async (path: string) => {
      const known = texts.get(path);
      if (known !== undefined) return known;
      const response = await get(path);
      expect(response.status, path).to.equal(200);
      const text = await response.text();
      texts.set(path, text);
      return text;
    };
    for (const page of pages) {
      const links = [...(await read(page)).matchAll(/(?:href|src)="([^"]+)"/g)];
      expect(links.length).to.be.above(20);
      for (const [, link = ''] of links) {
        if (link.startsWith('http')) continue;
        const [path = '', part] = link.split('#');
        const target = await read(path === '' ? page : path);
        if (part !== undefined) expect(target, `${page} → ${link}`).to.include(`id="${part}"`);
      }
    }
  });

  it('need no inline script or style, and are revalidated', async () => {
    for (const page of pages) {
      const response = await get(page);
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).to.equal('no-cache');
      expect(response.headers.get('content-security-policy')).to.include("style-src 'self'");
      const html = await response.text();
      expect(html).to.not.match(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|javascript:/i);
      const { etag } = (await getRaw(page, {})).headers;
      expect((await getRaw(page, { 'if-none-match': etag })).status).to.equal(304);
    }
  });

  it('use the best compression for the browser', async () => {
    const { headers, body: small } = await getRaw('/docs', { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).to.equal('br');
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    const plain = Buffer.from(await (await get('/docs')).arrayBuffer());
    expect(brotliDecompressSync(small).equals(plain)).to.equal(true);
    expect(small.length).to.be.below(plain.length / 5);
  });

  it('answer 404 for unknown paths, and refuse methods that write', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/nothing.json',
      '/docs/examples',
      '/docs/..%2fserver%2fmain.js',
    ]) {
      const response = await get(path);
      expect(response.status, path).to.equal(404);
      expect((await replyOf(response)).error?.code).to.equal('not_found');
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await get('/docs', { method });
      expect(response.status, method).to.equal(405);
      expect(response.headers.get('allow')).to.equal('GET, HEAD');
      expect((await replyOf(response)).error?.code).to.equal('invalid');
    }
    expect((await get('/docs', { method: 'HEAD' })).status).to.equal(200);
  });
});
