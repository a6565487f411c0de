/** Linked pages and their pictures: those read in the last hour, or read now within the limits. */
import type { Account } from '../../shared/accounts.ts';
import type { Context, Node } from '../caller.ts';
import { makePreviewPicture } from '../files/files.ts';
import { perNode } from '../node/per-node.ts';
import { fetchPage, fetchPicture, type Rules } from './fetch.ts';
import { inTime } from './in-time.ts';
import { maxLengths, readPage, type Page } from './page.ts';
import * as store from './store.ts';

/** Includes the wait for the pictures of others. */
const makingMs = 20_000;

/** Work in progress, by address, so that a node doesn’t fetch anything twice at the same time. */
const pagesUnderWay = perNode((_node: Node) => new Map<string, Promise<Page | null | undefined>>());
const picturesUnderWay = perNode((_node: Node) => new Map<string, Promise<Buffer | null>>());

type Payer = Pick<Account, 'id' | 'kind'>;

/** Returns null if the page has no preview, undefined if it could not be read now. */
export async function pageAt(
  context: Context,
  link: string,
  payer: Payer,
  stop: AbortSignal,
): Promise<Page | null | undefined> {
  if (!URL.canParse(link)) return null;
  const url = new URL(link);
  url.hash = '';
  const { PUBLIC_URL } = context.node.config;
  if (url.href.length > maxLengths.address || url.origin === PUBLIC_URL) return null;
  return shareUnderWay(pagesUnderWay(context.node), url.href, () =>
    readPageAt(context, url, payer, stop),
  );
}

async function readPageAt(
  { node, db }: Context,
  url: URL,
  payer: Payer,
  stop: AbortSignal,
): Promise<Page | null | undefined> {
  const known = await store.findPage(db, url.href);
  if (known !== undefined || !(await isWithinLimits(node, payer))) return known;
  const fetched = await fetchPage(url, rulesOf(node), stop).catch(() => 'failed' as const);
  if (fetched === 'failed') return undefined;
  const page = (fetched && readPage(fetched.html, fetched.url)) ?? null;
  await store.savePage(db, url.href, page);
  return page;
}

/** Returns the picture at an address as a small square, or null if it can’t be read now. */
export const pictureAt = (
  context: Context,
  address: string,
  payer: Payer,
  stop: AbortSignal,
): Promise<Buffer | null> =>
  shareUnderWay(picturesUnderWay(context.node), address, async () => {
    const { node, db } = context;
    const known = await store.findPicture(db, address);
    if (known !== undefined) return known;
    if (!(await isWithinLimits(node, payer))) return null;
    const made = await makeOf(node, new URL(address), payer, stop).catch(() => 'failed' as const);
    if (made === 'failed') return null;
    await store.savePicture(db, address, made);
    return made;
  });

/** Rejects after failures that can be temporary. */
async function makeOf(
  node: Node,
  address: URL,
  payer: Payer,
  stop: AbortSignal,
): Promise<Buffer | null> {
  const fetched = await fetchPicture(address, rulesOf(node), stop);
  if (fetched === undefined) return null;
  return inTime(stop, makingMs, (signal) => makePreviewPicture(node, payer.id, fetched, signal));
}

/** Runs `read`, or returns the promise of a read of the same address that is under way. */
function shareUnderWay<T>(
  underWay: Map<string, Promise<T>>,
  address: string,
  read: () => Promise<T>,
): Promise<T> {
  const shared = underWay.get(address);
  if (shared) return shared;
  const reading = read().finally(() => underWay.delete(address));
  underWay.set(address, reading);
  return reading;
}

const rulesOf = ({ config, limits }: Node): Rules => ({
  sites: config.PARLEY_PREVIEW_SITES ?? [],
  charge: (host) => limits.take('previewsPerHost', host),
});

/** So that links can’t make a node flood sites with requests. */
const isWithinLimits = async ({ limits }: Node, { id, kind }: Payer) =>
  (await limits.tryTake('previews', id)) &&
  (kind !== 'guest' || (await limits.tryTake('previewsForGuests', 'all')));
