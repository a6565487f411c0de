/**
 * Saves the files of this build on the device. The app opens from them, so it needs no network to start. A reload asks
 * the server first, so that no page stays on an older build for longer than one reload.
 */
import { scope } from './scope.ts';

/** From client/worker/build.ts: the paths of all files of this build, and a hash of their content. */
declare const builtFiles: readonly string[];
declare const buildHash: string;

const files = builtFiles;
const prefix = 'shell.';
const name = prefix + buildHash;

/** A reload that the server does not answer in this time opens the saved page, in milliseconds. */
const reloadTimeoutMs = 4_000;

/** Addresses of the app (client/routes/routes.ts) with content that is worth opening without a network. */
const isPage = /^\/($|(s|direct|friends|unread|mentions|join)(\/|$))/;

export async function install(): Promise<void> {
  const cache = await caches.open(name);
  try {
    await cache.addAll(files.map(requestFor));
  } catch (error) {
    // Otherwise the empty cache would count as a build. The browser installs again at the next visit.
    await caches.delete(name);
    throw error;
  }
  await scope.skipWaiting();
}

/** The names of assets contain a hash, so a copy in the browser’s cache is right. */
const requestFor = (path: string) =>
  new Request(path, { cache: isAsset(path) ? 'default' : 'no-cache' });

const isAsset = (path: string) => path.startsWith('/assets/');

/** Deletes older builds, but the latest, because open pages can still load parts of it. */
export async function activate(): Promise<void> {
  const others = (await caches.keys()).filter((key) => key.startsWith(prefix) && key !== name);
  await Promise.all(others.slice(0, -1).map((key) => caches.delete(key)));
  await scope.clients.claim();
}

/** The answer for a visit of the app; undefined if it is not one. */
export function pageFor(request: Request): Promise<Response> | undefined {
  if (request.mode !== 'navigate' || !isOurs(request)) return undefined;
  if (!isPage.test(new URL(request.url).pathname)) return undefined;
  return request.cache === 'default' ? opened(request) : reloaded(request);
}

const opened = async (request: Request) => (await saved('/')) ?? fetch(request);

async function reloaded(request: Request): Promise<Response> {
  const page = await saved('/');
  if (!page) return fetch(request);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(reloadTimeoutMs) });
    return answer.status < 500 ? answer : page;
  } catch {
    return page;
  }
}

/** The answer for a file of this build, or of one whose pages are still open; undefined for everything else. */
export function fileOf(request: Request): Promise<Response> | undefined {
  const { pathname } = new URL(request.url);
  if (request.mode === 'navigate' || !isOurs(request)) return undefined;
  if (!isAsset(pathname) && !files.includes(pathname)) return undefined;
  return saved(pathname).then((file) => file ?? fetch(request));
}

const isOurs = ({ method, url }: Request) =>
  method === 'GET' && new URL(url).origin === scope.location.origin;

/** Undefined also if the storage fails, so that the network answers. */
async function saved(path: string): Promise<Response | undefined> {
  try {
    const own = await (await caches.open(name)).match(path, { ignoreVary: true });
    return own ?? (isAsset(path) ? await caches.match(path, { ignoreVary: true }) : undefined);
  } catch {
    return undefined;
  }
}
