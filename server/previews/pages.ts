/** Linked pages: those read in the last hour, or read now within the limits. */
import type { Account } from '../../shared/accounts.ts';
import type { Context, Node } from '../caller.ts';
import { perNode } from '../node/per-node.ts';
import { fetchPage } from './fetch.ts';
import { readPage, type Page } from './page.ts';
import * as store from './store.ts';

/** Fits an index. Letters of most scripts take six to nine characters each. */
const longestAddress = 2_000;

/** Reads in progress, by address, so that a node doesn’t fetch a page twice at the same time. */
const underWay = perNode((_node: Node) => new Map<string, Promise<Page | null | undefined>>());

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
  if (url.href.length > longestAddress || url.origin === PUBLIC_URL) return null;
  const pages = underWay(context.node);
  const shared = pages.get(url.href);
  if (shared) return shared;
  const reading = read(context, url, payer, stop).finally(() => pages.delete(url.href));
  pages.set(url.href, reading);
  return reading;
}

async function read(
  { node, db }: Context,
  url: URL,
  payer: Payer,
  stop: AbortSignal,
): Promise<Page | null | undefined> {
  const known = await store.findPage(db, url.href);
  if (known !== undefined || !(await isWithinLimits(node, payer))) return known;
  const rules = {
    sites: node.config.PARLEY_PREVIEW_SITES ?? [],
    charge: (host: string) => node.limits.take('previewsPerHost', host),
  };
  const fetched = await fetchPage(url, rules, stop).catch(() => 'failed' as const);
  if (fetched === 'failed') return undefined;
  const page = (fetched && readPage(fetched.html, fetched.url.hostname)) ?? null;
  await store.savePage(db, url.href, page);
  return page;
}

/** So that links can’t make a node flood sites with requests. */
const isWithinLimits = async ({ limits }: Node, { id, kind }: Payer) =>
  (await limits.tryTake('previews', id)) &&
  (kind !== 'guest' || (await limits.tryTake('previewsForGuests', 'all')));
