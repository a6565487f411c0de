/** A web site on loopback, with pages for previews of links. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LinkedSite {
  origin: string;
  /** With these, a node reads the pages of this site. */
  settings: Record<'PARLEY_PREVIEWS' | 'PARLEY_PREVIEW_SITES', string>;
  /** Serves a page, by a listener or as HTML. Returns its address. */
  serve(path: string, page: RequestListener | string): string;
  /** How often a path was requested. */
  requestsFor(path: string): number;
  close(): Promise<void>;
}

export async function openLinkedSite(): Promise<LinkedSite> {
  const pages = new Map<string, RequestListener>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const page = pages.get(path);
    if (page === undefined) response.writeHead(404).end();
    else page(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    settings: { PARLEY_PREVIEWS: 'on', PARLEY_PREVIEW_SITES: origin },
    serve(path, page) {
      pages.set(path, typeof page === 'string' ? html(page) : page);
      return origin + path;
    },
    requestsFor: (path) => requests.filter((one) => one === path).length,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

export const html =
  (page: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);

export const titled = (title: string, more = '') =>
  `<!doctype html><html><head><title>${title}</title>${more}</head><body>Text</body></html>`;
