import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import express, { Router, type Request, type RequestHandler } from 'express';
import { cachedFor } from '../node/cached.ts';

// Beside the compiled server, or where the build puts it when the sources run as they are.
const built = import.meta.url.endsWith('.ts') ? '../../dist/client' : '../../client';
const folder = join(import.meta.dirname, built);

/** The client's files. Every address without an extension is the application's: it routes by itself. */
export function clientPages(): Router {
  const router = Router();
  // Their names hold a hash of what is in them.
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

/** Browsers that accept it get the copy that was compressed when the client was built. */
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

/** The script that the page begins with, as it is now, or was a second ago: its name changes with every build. */
export const clientScript = cachedFor(1_000, async (): Promise<string | undefined> => {
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => '');
  return /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
});

const isPage = ({ method, path }: Request) =>
  (method === 'GET' || method === 'HEAD') && !path.startsWith('/api/') && extname(path) === '';

/** Kept, but not used without asking whether it still is the newest. */
export function noCache(response: { setHeader(name: string, value: string): unknown }): void {
  response.setHeader('Cache-Control', 'no-cache');
}
