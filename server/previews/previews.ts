/** Reads the pages behind links after their messages are stored, and adds previews to the messages. */
import type { Account } from '../../shared/accounts.ts';
import { ChatError, failureOf } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { Preview } from '../../shared/previews.ts';
import { activeAccount } from '../accounts/accounts.ts';
import type { Context } from '../caller.ts';
import type { Db } from '../database/database.ts';
import { storePreviewPicture } from '../files/files.ts';
import { previewedLinks } from '../links/links.ts';
import { changePart, readMessages } from '../messages/messages.ts';
import { attempt } from '../node/attempt.ts';
import { every } from '../node/timer.ts';
import { isFilteredIn } from '../word-filter/word-filter.ts';
import type { Page } from './page.ts';
import { pageAt, pictureAt } from './pages.ts';
import * as store from './store.ts';
import { additionWriter } from './writers.ts';

const beatMs = 1_000;
/** Messages that one node processes at the same time, and those of one person. */
const maxReading = 8;
const maxOfPerson = 2;
/** Longer than one message takes, so that a claim expires only if its node has stopped. Another one then claims it. */
const claimMs = 30_000;
/** Milliseconds before each further attempt, after failures that can be temporary. */
const waits = [10_000, 60_000];

export function addPreviews(context: Context): () => Promise<void> {
  const { node, db } = context;
  if (node.config.PARLEY_PREVIEWS === 'off') return () => Promise.resolve();
  const reading = new Map<Promise<unknown>, string>();
  const ending = new AbortController();
  const begin = (queued: store.Queued) => {
    const done = attempt(node, 'previews', () => preview(context, queued, ending.signal)).finally(
      () => reading.delete(done),
    );
    reading.set(done, queued.payerId);
  };
  const busyIds = () => {
    const ids = [...reading.values()];
    return ids.filter((id) => ids.filter((other) => other === id).length >= maxOfPerson);
  };
  const work = async () => {
    while (!node.draining) {
      const limit = maxReading - reading.size;
      const claimed = await store.claim(db, { limit, forMs: claimMs, busyIds: busyIds() });
      if (ending.signal.aborted || claimed.length === 0) return;
      for (const queued of claimed) begin(queued);
      if (reading.size >= maxReading) await Promise.race(reading.keys());
    }
  };
  const stop = every(node, beatMs, 'previews', work);
  return async () => {
    ending.abort();
    await stop();
    await Promise.all(reading.keys());
  };
}

export const sweepPreviews = ({ db }: Pick<Context, 'db'>): Promise<void> => store.deleteOld(db);

async function preview(context: Context, queued: store.Queued, stop: AbortSignal): Promise<void> {
  const { db } = context;
  const message = await findMessage(db, queued.messageId);
  const isDone = message === undefined || (await update(context, message, queued, stop));
  if (stop.aborted) return;
  const waitMs = isDone ? undefined : waits[queued.attempts - 1];
  if (waitMs === undefined) await store.deleteQueued(db, queued);
  else await store.postpone(db, queued, waitMs);
}

const oneMessage = { rows: 'select * from messages where id = $1', order: 'position' };

async function findMessage(db: Db, id: string): Promise<Message | undefined> {
  const { messages } = await readMessages(db, oneMessage, [id]);
  return messages.find(({ deletedAt }) => deletedAt === undefined);
}

/** Returns false if some pages could not be read now. */
async function update(
  context: Context,
  { id, timelineId, authorId, body, previews = [] }: Message,
  { payerId, former }: store.Queued,
  stop: AbortSignal,
): Promise<boolean> {
  const { db } = context;
  const known = [...former, ...previews.map(({ link }) => link)];
  const links = previewedLinks(body).filter((link) => !known.includes(link));
  const author = links.length > 0 ? await activeAccount(db, authorId) : undefined;
  if (author === undefined || (await store.isOffIn(db, timelineId))) return true;
  const payer = { id: payerId, kind: author.kind };
  const pages = await Promise.all(
    links.map(async (link) => ({ link, page: await pageAt(context, link, payer, stop) })),
  );
  if (pages.every(({ page }) => !page)) return pages.every(({ page }) => page === null);
  const isFiltered = await isFilteredIn(db, timelineId);
  const shown = pages.flatMap(({ link, page }) => {
    const isShown = page && !isFiltered([page.site, page.title, page.description].join(' '));
    return isShown ? [{ link, page }] : [];
  });
  const found = await Promise.all(
    shown.map(async ({ link, page: { pictureAddress, ...words } }): Promise<Preview> => {
      const picture = await addPicture(
        context,
        { pictureAddress, author, timelineId, payer },
        stop,
      );
      return { link, ...words, ...(picture !== undefined && { picture }) };
    }),
  );
  if (found.length > 0 && !stop.aborted) await add(context, author, id, found);
  return pages.every(({ page }) => page !== undefined);
}

interface Pictured {
  pictureAddress: Page['pictureAddress'];
  author: Account;
  timelineId: string;
  payer: Pick<Account, 'id' | 'kind'>;
}

/** Returns the id of the file. Guests have no pictures, because anyone can create guests to fill the storage. */
async function addPicture(
  context: Context,
  { pictureAddress, author, timelineId, payer }: Pictured,
  stop: AbortSignal,
): Promise<string | undefined> {
  const { node } = context;
  const isOff = author.kind === 'guest' || node.config.PARLEY_FILE_MB === 0;
  if (pictureAddress === undefined || isOff) return undefined;
  const added = await attempt(node, 'previews', async () => {
    const picture = await pictureAt(context, pictureAddress, payer, stop);
    if (picture === null || stop.aborted) return undefined;
    return storePreviewPicture(context, author, timelineId, picture);
  });
  return added.ok ? added.value : undefined;
}

const add = (
  context: Context,
  author: Account,
  messageId: string,
  found: readonly Preview[],
): Promise<unknown> =>
  changePart({ ...context, user: author }, additionWriter, messageId, { found }).catch(
    (error: unknown) => {
      // Other refusals are final, such as when the author or the message has gone.
      if (!(error instanceof ChatError) || failureOf(error).retryable) throw error;
    },
  );
