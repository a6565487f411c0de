import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import express, { Router, type Request, type RequestHandler } from 'express';
import { cachedFor } from '../node/cached.ts';

// Beside the compiled server; in `dist` when the TypeScript sources run.
const built = import.meta.url.endsWith('.ts') ? '../../dist/client' : '../../client';
const folder = join(import.meta.dirname, built);

/** Serves the client's files. Every path without an extension gets the page, because the client routes by itself. */
export function clientPages(): Router {
  const router = Router();
  // Names contain a hash of the content.
  const assets = { immutable: true, maxAge: '1y', index: false, redirect: false };
  router.use('/assets', compressed(join(folder, 'assets')));
  router.use('/assets', express.static(join(folder, 'assets'), assets));
  const options = { setHeaders: noCache, index: false, redirect: false } as const;
  router.use(express.static(folder, options));
  router.use((request, response, next) => {
    if (!isPage(request) || !existsSync(join(folder, 'index.html'))) {
      next();
      return;
    }
    noCache(response);
    response.sendFile('index.html', { root: folder, cacheControl: false });
  });
  return router;
}

const endings = { br: '.br', gzip: '.gz' } as const;

/** Serves the copy that the build compressed, if the browser accepts it. */
export function compressed(folder: string): RequestHandler {
  return (request, response, next) => {
    const { path } = request;
    response.vary('Accept-Encoding');
    const encoding = (['br', 'gzip'] as const).find(
      (one) =>
        request.acceptsEncodings(one) === one &&
        /^\/[\w.-]+$/.test(path) &&
        existsSync(join(folder, path + endings[one])),
    );
    if (encoding !== undefined) {
      response.type(extname(path)).set('Content-Encoding', encoding);
      request.url = path + endings[encoding];
    }
    next();
  };
}

/** The path of the page’s script, which changes with every build, because it contains the names of the other parts. */
export const clientScript = cachedFor(1_000, async (): Promise<string | undefined> => {
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => '');
  return /src="(\/assets\/main[^"]+\.js)"/.exec(page)?.[1];
});

const isPage = ({ method, path }: Request) =>
  (method === 'GET' || method === 'HEAD') && !path.startsWith('/api/') && extname(path) === '';

/** Lets caches keep the response, but revalidate it before each use. */
export function noCache(response: { setHeader(name: string, value: string): unknown }): void {
  response.setHeader('Cache-Control', 'no-cache');
}
