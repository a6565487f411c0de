import { extname, join } from 'node:path';
import express, { Router, type RequestHandler } from 'express';
import { noCache, compressed } from './client-files.ts';

// Both paths lead to dist/docs: the first from server/http, the second from dist/server/http.
const built = import.meta.url.endsWith('.ts') ? '../../dist/docs' : '../../docs';
const folder = join(import.meta.dirname, built);

/** Serves `/docs`. The client has no pages there, so a missing file is not found. */
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

/** Page addresses have no extension: `/docs` and `/docs/reference` are the reference, `/docs/bots` another page. */
const asFile: RequestHandler = (request, _response, next) => {
  const { path } = request;
  if (path === '/' || path === '/reference') request.url = '/index.html';
  else if (extname(path) === '') request.url = `${path}.html`;
  next();
};
