/** The published contract, as the build has laid it down: pages to read, and the files for tools. */
import { extname, join } from 'node:path';
import express, { Router, type RequestHandler } from 'express';
import { noCache, compressed } from './client-files.ts';

// Beside the compiled server, or where the build puts it when the sources run as they are.
const built = import.meta.url.endsWith('.ts') ? '../../dist/docs' : '../../docs';
const folder = join(import.meta.dirname, built);

/** What stands under `/docs`. Nothing there is the application's: what is missing is missing. */
export function documents(): Router {
  const router = Router();
  router.use(onlyRead, asFile, compressed(folder));
  const options = { setHeaders: noCache, index: false, redirect: false } as const;
  router.use(express.static(folder, options));
  return router;
}

const onlyRead: RequestHandler = ({ method }, response, next) => {
  if (method === 'GET' || method === 'HEAD') {
    next();
    return;
  }
  response.set('Allow', 'GET, HEAD');
  throw Object.assign(new Error('refused'), { status: 405 });
};

/** A page's address has no extension: `/docs` and `/docs/reference` are the reference, `/docs/bots` another page. */
const asFile: RequestHandler = (request, _response, next) => {
  const { path } = request;
  if (path === '/' || path === '/reference') request.url = '/index.html';
  else if (extname(path) === '') request.url = `${path}.html`;
  next();
};
