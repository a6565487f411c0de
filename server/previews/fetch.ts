/**
 * Fetches the head of a linked page, or its picture. Anyone can link to any address, so to prevent server-side request
 * forgery it connects only to public addresses and default ports, also after each redirect. It limits the time and the
 * bytes, sends no cookies and runs no scripts.
 */
import { Resolver } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublic } from '../http/address.ts';
import { inTime } from './in-time.ts';

const timeoutMs = 3_000;
const maxBytes = 524_288;
const maxPictureBytes = 2_000_000;
const maxRedirects = 3;

export interface Fetched {
  html: string;
  /** After redirects. */
  url: URL;
}

export interface Rules {
  /** Origins that can be at any address and port. */
  sites: readonly string[];
  /** Charges a page to a host, by its name. Rejects if that is too much. */
  charge: (host: string) => Promise<void>;
}

/** A kind of content: its `Accept` header, and how to read a response. `read` returns undefined for other content. */
interface ContentKind<T> {
  accept: string;
  read: (response: IncomingMessage, url: URL) => Promise<T | undefined>;
}

type Fetch<T> = (address: URL, rules: Rules, stop: AbortSignal) => Promise<T | undefined>;

/**
 * Returns undefined if the address isn’t allowed or the response isn’t an HTML page. Rejects after failures that can be
 * temporary.
 */
export const fetchPage: Fetch<Fetched> = (...all) =>
  fetchContent({ accept: 'text/html', read: readHtml }, ...all);

/** Like `fetchPage`, but returns the bytes of a picture, or undefined if there are too many. Doesn’t check their type. */
export const fetchPicture: Fetch<Buffer> = (...all) =>
  fetchContent({ accept: 'image/*', read: readPicture }, ...all);

async function fetchContent<T>(
  kind: ContentKind<T>,
  address: URL,
  rules: Rules,
  stop: AbortSignal,
): Promise<T | undefined> {
  return inTime(stop, timeoutMs, (signal) => follow(kind, address, rules, signal));
}

async function follow<T>(
  { accept, read }: ContentKind<T>,
  address: URL,
  { sites, charge }: Rules,
  signal: AbortSignal,
): Promise<T | undefined> {
  let url = address;
  const charged = new Set<string>();
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const isOwn = sites.includes(url.origin);
    if (url.username !== '' || url.password !== '' || !(isOwn || mayRead(url))) return undefined;
    const host = url.hostname.replace(/\.$/, '');
    if (!charged.has(host)) await charge(host);
    charged.add(host);
    const response = await get(url, { accept, isOwn, signal });
    const location = redirectOf(response);
    if (location === undefined) return await read(response, url);
    response.destroy();
    if (!URL.canParse(location, url.href)) return undefined;
    url = new URL(location, url.href);
  }
  return undefined;
}

/** A host name is checked when it is resolved. */
function mayRead({ protocol, hostname, port }: URL): boolean {
  if (port !== '' || (protocol !== 'https:' && protocol !== 'http:')) return false;
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 || isReachable(literal);
}

/** Public addresses, without ranges that lead to private networks, and one that leads to the host of a cloud. */
const isReachable = (address: string): boolean =>
  isPublic(address) &&
  (isIP(address) === 6
    ? /^[23]/.test(address)
    : !/^198\.1[89]\./.test(address) && address !== '168.63.129.16');

const get = (
  url: URL,
  { accept, isOwn, signal }: { accept: string; isOwn: boolean; signal: AbortSignal },
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      signal,
      agent: false,
      headers: {
        'user-agent': 'Parley (link preview)',
        accept,
        'accept-encoding': 'identity',
      },
      ...(!isOwn && { lookup: lookupPublic }),
    });
    // Not `once`: an error after the first, as of the socket after an abort, must not be uncaught.
    request.on('error', reject);
    // After an upgrade that nothing asked for, there is neither an error nor a response.
    request.once('close', () => {
      reject(new Error('The connection was closed.'));
    });
    request.once('response', resolve);
    request.end();
  });

const redirectOf = ({ statusCode = 0, headers }: IncomingMessage) =>
  [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;

async function readHtml(response: IncomingMessage, url: URL): Promise<Fetched | undefined> {
  const type = response.headers['content-type'] ?? '';
  const isHtml = /^(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type);
  if (!accepts(response, isHtml)) return undefined;
  const bytes = await readToBody(response);
  return { html: decoded(bytes, type), url };
}

/** Returns true if the body can be read; otherwise destroys the response. @throws if the status can be temporary */
function accepts(response: IncomingMessage, isWanted: boolean): boolean {
  const { statusCode = 0, headers } = response;
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (statusCode === 200 && isWanted && encoding === 'identity') return true;
  response.destroy();
  if (statusCode === 429 || statusCode >= 500) throw new Error(`status ${statusCode}`);
  return false;
}

async function readPicture(response: IncomingMessage): Promise<Buffer | undefined> {
  if (!accepts(response, true)) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxPictureBytes) return undefined;
  }
  return Buffer.concat(chunks);
}

/** Stops at `<body>`, because a preview needs only the head. Leaving the loop destroys the response. */
async function readToBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  let end = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    end += chunk.toString('latin1');
    if (length >= maxBytes || /<body[\s>]/i.test(end)) break;
    // The tag can be split between two chunks.
    end = end.slice(-6);
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Decodes by the byte order mark, the Content-Type header or the page’s `<meta charset>`; otherwise as UTF-8. */
function decoded(bytes: Buffer, type: string): string {
  const start = bytes.subarray(0, 1_024).toString('latin1');
  const [, inHeader] = /charset\s*=\s*"?([\w-]+)/i.exec(type) ?? [];
  const [, inPage] = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start) ?? [];
  const name = start.startsWith('\xef\xbb\xbf') ? 'utf-8' : (inHeader ?? inPage ?? 'utf-8');
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    // An unknown encoding.
    return new TextDecoder().decode(bytes);
  }
}

/** Not `dns.lookup`, because a slow name server would block a thread of the libuv pool. */
const resolver = new Resolver({ timeout: 1_000, tries: 2 });

/**
 * Fails unless all addresses of the host are public. The connection uses the checked addresses without a second lookup,
 * which prevents DNS rebinding.
 */
export const lookupPublic: LookupFunction = (host, options, callback) => {
  addressesOf(host).then(
    (addresses) => {
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isReachable(address)))
        callback(new Error(`${host} doesn’t resolve to public addresses only.`), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    },
    (error: unknown) => {
      callback(error as Error, []);
    },
  );
};

async function addressesOf(host: string): Promise<{ address: string; family: number }[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const of = (found: PromiseSettledResult<string[]>, family: number) =>
    found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : [];
  return [...of(v4, 4), ...of(v6, 6)];
}
