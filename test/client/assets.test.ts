import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';

interface Answer {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Uses no `fetch`, because it decompresses the body. */
const get = (address: string, encodings?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = encodings === undefined ? {} : { 'accept-encoding': encodings };
    const asked = request(address, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { statusCode: status, headers } = response;
        resolve({ status, headers, body: Buffer.concat(parts) });
      });
    });
    asked.on('error', reject).end();
  });

describe('the client’s files', () => {
  let app: TestApp;
  let assets: string[];
  before(async () => {
    app = await startApp();
    const page = (await get(app.url)).body.toString();
    assets = [...page.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path);
  });
  after(() => app.close());

  it('are served in the best compression that the browser accepts, and cached for good', async () => {
    expect(assets).to.have.length.at.least(3);
    for (const path of assets) {
      const plain = await get(app.url + path);
      // Such a small file fits into one packet, compressed or not.
      if (plain.body.length < 1_000) continue;
      const brotli = await get(app.url + path, 'gzip, deflate, br, zstd');
      const gzip = await get(app.url + path, 'gzip');
      expect(plain.headers['content-encoding']).to.equal(undefined);
      expect(brotli.headers['content-encoding']).to.equal('br');
      expect(gzip.headers['content-encoding']).to.equal('gzip');
      expect(brotliDecompressSync(brotli.body).equals(plain.body)).to.equal(true);
      expect(gunzipSync(gzip.body).equals(plain.body)).to.equal(true);
      for (const { headers } of [plain, brotli, gzip]) {
        expect(headers['cache-control']).to.equal('public, max-age=31536000, immutable');
        expect(headers.vary).to.equal('Accept-Encoding');
        expect(headers['content-type']).to.equal(plain.headers['content-type']);
      }
    }
  });

  it('are served uncompressed if the browser refuses compression, and are 404 if missing', async () => {
    const [path = ''] = assets;
    expect((await get(app.url + path, 'br;q=0, gzip;q=0')).headers['content-encoding']).to.equal(
      undefined,
    );
    for (const wrong of [
      '/assets/none.js',
      '/assets/..%2f..%2fserver%2fmain.js',
      '/assets/%2e%2e/icon.svg.br',
    ]) {
      const { status, headers } = await get(app.url + wrong, 'br');
      expect(status, wrong).to.equal(404);
      expect(headers['content-encoding']).to.equal(undefined);
    }
  });

  it('contain all scripts and styles of the page: none is inline', async () => {
    const page = (await get(app.url)).body.toString();
    expect(page).to.include('<script type="module"');
    expect(page).to.not.match(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|javascript:/i);
  });

  it('are revalidated where their names do not change', async () => {
    for (const path of ['/', '/icon.svg', '/s/somewhere'])
      expect((await get(app.url + path)).headers['cache-control']).to.equal('no-cache');
  });
});
