/**
 * Saves the files of this build on the device. The app opens from them, so it needs no network to start. A reload asks
 * the server first, so that no page stays on an older build for longer than one reload.
 */
import { scope } from './scope.ts';

/** From client/build/worker.ts: the paths of all files of this build, and a hash of their content. */
declare const builtFiles: readonly string[];
declare const buildHash: string;

/** Once, because each use of `builtFiles` becomes a copy of the list. */
const files = builtFiles;
const prefix = 'shell.';
const name = prefix + buildHash;

/** Time to wait for the server on a reload before the saved page opens, in milliseconds. */
const reloadTimeoutMs = 4_000;

/** Addresses of the app (client/routes/routes.ts) with content that is worth opening without a network. */
const isPage = /^\/($|(s|direct|friends|unread|mentions|join)(\/|$))/;

export async function install(): Promise<void> {
  const isNew = !(await caches.has(name));
  try {
    const cache = await caches.open(name);
    await cache.addAll(files.map(requestFor));
    await requireOwnPage(await cache.match('/'));
  } catch (error) {
    // Deletes it, because an incomplete cache would count as a build.
    if (isNew) await caches.delete(name);
    // A first worker shows push messages without files. Otherwise the browser installs again at the next visit.
    const isFull = error instanceof DOMException && error.name === 'QuotaExceededError';
    if (!isFull || scope.registration.active) throw error;
  }
  await scope.skipWaiting();
}

/**
 * Rejects the page of another build, which another node can serve, and the sign-in page of a proxy.
 * @throws Error
 */
async function requireOwnPage(page: Response | undefined): Promise<void> {
  const [, script = ''] = /src="(\/assets\/main[^"]+)"/.exec((await page?.text()) ?? '') ?? [];
  if (page?.redirected || !files.includes(script)) throw new Error('This is another page.');
}

/** The names of assets contain a hash, so a copy in the browser’s cache is right. */
const requestFor = (path: string) =>
  new Request(path, { cache: isAsset(path) ? 'default' : 'no-cache' });

const isAsset = (path: string) => path.startsWith('/assets/');

/** Deletes all older builds except the most recent, because open pages can still load parts of it. */
export async function activate(): Promise<void> {
  const others = (await caches.keys()).filter((key) => key.startsWith(prefix) && key !== name);
  await Promise.all(others.slice(0, -1).map((key) => caches.delete(key)));
  await scope.clients.claim();
}

/** Returns the response for a visit of the app; undefined for other requests. */
export function pageFor(request: Request): Promise<Response> | undefined {
  if (request.mode !== 'navigate' || !isOurs(request)) return undefined;
  if (!isPage.test(new URL(request.url).pathname)) return undefined;
  return isReload(request) ? reloaded(request) : opened(request);
}

/** Browsers without this property mark a reload by the cache mode. */
const isReload = (request: Request & { isReloadNavigation?: boolean }) =>
  request.isReloadNavigation ?? ['no-cache', 'reload', 'no-store'].includes(request.cache);

const opened = async (request: Request) => (await saved('/')) ?? fetch(request);

async function reloaded(request: Request): Promise<Response> {
  const page = await saved('/');
  if (!page) return fetch(request);
  // Not aborted after the time, because that would also end an answer that has begun.
  const answer = fetch(request).then(
    (answer) => (answer.status < 500 ? answer : page),
    () => page,
  );
  return Promise.race([answer, later(page)]);
}

const later = (page: Response) =>
  new Promise<Response>((resolve) => {
    setTimeout(() => {
      resolve(page);
    }, reloadTimeoutMs);
  });

/** Returns the response for a file of this build, or of one whose pages are still open; undefined for other requests. */
export function fileOf(request: Request): Promise<Response> | undefined {
  const { pathname } = new URL(request.url);
  if (request.mode === 'navigate' || !isOurs(request)) return undefined;
  if (!isAsset(pathname) && !files.includes(pathname)) return undefined;
  return saved(pathname).then((file) => file ?? fetch(request));
}

const isOurs = ({ method, url }: Request) =>
  method === 'GET' && new URL(url).origin === scope.location.origin;

/** Falls back to the network if the storage fails. */
async function saved(path: string): Promise<Response | undefined> {
  try {
    const own = await (await caches.open(name)).match(path, { ignoreVary: true });
    return own ?? (isAsset(path) ? await caches.match(path, { ignoreVary: true }) : undefined);
  } catch {
    return undefined;
  }
}
