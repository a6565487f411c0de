/**
 * Sends pushes some seconds after the message, unless the person has read it on any device by then. While one of their
 * devices is in use, the push waits, because that device notifies them.
 */
import webPush from 'web-push';
import { attempt } from '../node/attempt.ts';
import { every } from '../node/timer.ts';
import type { Context, Node } from '../caller.ts';
import type { Db } from '../database/database.ts';
import { claim, restPlace, type DuePlace } from './claim-store.ts';
import { pushedContentOf, wantedAmong } from './content.ts';
import { findDue, type Due } from './content-store.ts';
import { vapidKeys } from './keys.ts';
import { postPush, type PushResponse } from './post.ts';
import * as store from './queue-store.ts';
import { serviceOf } from './services.ts';
import { deleteEndpoint } from './subscription-store.ts';

const beatMs = 1_000;
/** New messages in one round. */
const slice = 200;
/** `graceMs`: a device that shows the timeline has read it by then. `perTimeline`: only the newest of a round count. */
const spreading = { limit: slice, graceMs: 3_000, perTimeline: 10 };
/** The time between two pushes from one timeline to one device. The later one counts what came meanwhile. */
const paceMs = 10_000;
/** Messages due for one device. */
const maxDue = 50;
/** Sends under way on one node. */
const maxSending = 16;
/** Rounds in one beat, each of up to `maxSending` pushes. */
const maxRounds = 50;
/** Longer than one send takes. An expired lease means that its node has ended, and another node sends the push. */
const leaseMs = 60_000;
const whileActiveMs = 10_000;
/** Milliseconds before each further attempt. */
const waits = [5_000, 30_000, 120_000, 600_000];
const maxWaitMs = 1_800_000;
/** How long a push service keeps a message that it cannot deliver. */
const ttlSeconds = 86_400;

/** Sends due pushes. Stopping aborts the sends under way, which are due again later, on any node. */
export function sendPushes(context: Context): () => Promise<void> {
  const { node, db } = context;
  const sending = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const begin = (place: DuePlace) => {
    const done = attempt(node, 'push', () => send(context, place, ending.signal)).finally(() =>
      sending.delete(done),
    );
    sending.add(done);
  };
  const isEarly = ({ userId }: DuePlace) => node.cluster.leases.status(userId) === 'online';
  /** Sends what is due, until nothing more is, or for a number of rounds. */
  const work = async () => {
    await store.deleteExpired(db);
    for (let round = 0; round < maxRounds && !node.draining; round += 1) {
      const { taken, sessionIds } = await store.spread(db, spreading);
      if (sessionIds.length > 0) await store.deleteSurplusPushes(db, sessionIds, maxDue);
      const claimed = await claim(db, Math.max(0, maxSending - sending.size), leaseMs);
      if (ending.signal.aborted) return;
      const early = claimed.filter(isEarly);
      // Before the early ones: if postponing fails, these are sent all the same.
      for (const place of claimed) if (!early.includes(place)) begin(place);
      if (early.length > 0) await postpone(db, early);
      if (taken < slice && claimed.length === 0) return;
      if (sending.size >= maxSending) await Promise.race(sending);
    }
  };
  const stop = every(node, beatMs, 'push', work);
  return async () => {
    ending.abort();
    await stop();
    await Promise.all(sending);
  };
}

/**
 * Makes early pushes wait. Judges each message once, so that unwanted ones, such as all messages of a person with
 * keywords, neither wait nor push out wanted ones.
 */
async function postpone(db: Db, early: readonly DuePlace[]): Promise<void> {
  const waiting: DuePlace[] = [];
  for (const place of early) waiting.push({ ...place, messageIds: await judge(db, place) });
  await store.postponeAll(db, waiting, whileActiveMs);
  for (const place of waiting) await restPlace(db, place, whileActiveMs);
  await store.deleteRead(
    db,
    early.map(({ userId }) => userId),
  );
}

/** Drops the messages that the person does not want. Returns the ids of the rest. */
async function judge(db: Db, place: DuePlace): Promise<string[]> {
  const { messageIds, unjudgedIds } = place;
  if (unjudgedIds.length === 0) return messageIds;
  const { dues } = await wantedAmong(db, await findDue(db, { ...place, messageIds: unjudgedIds }));
  const ids = new Set(dues.map(({ messageId }) => messageId));
  const unwanted = new Set(unjudgedIds.filter((id) => !ids.has(id)));
  await store.deleteMessages(db, place, [...unwanted]);
  return messageIds.filter((id) => !unwanted.has(id));
}

async function send(context: Context, place: DuePlace, stop: AbortSignal): Promise<void> {
  const { node, db } = context;
  const {
    dues: [newest, ...others],
    canReply,
  } = await wantedAmong(db, await findDue(db, place));
  const service = newest && serviceOf(node.config, newest.endpoint);
  if (newest === undefined || service === undefined) {
    await store.deleteMessages(db, place, place.messageIds);
    await restPlace(db, place, 0);
    return;
  }
  const request = await requestOf(context, { dues: [newest, ...others], canReply });
  await settle(context, place, newest, await postPush(request, service, stop));
}

async function requestOf(context: Context, wanted: Parameters<typeof pushedContentOf>[1]) {
  const { endpoint, p256dh, auth } = wanted.dues[0];
  const [content, keys] = await Promise.all([
    pushedContentOf(context.db, wanted),
    vapidKeys(context.db),
  ]);
  return webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(content),
    {
      TTL: ttlSeconds,
      urgency: 'high',
      vapidDetails: { subject: subjectOf(context.node), ...keys },
    },
  );
}

/** How a push service reaches the operator: it accepts only HTTPS and mail addresses. */
const subjectOf = ({ config: { PUBLIC_URL = '' } }: Node) =>
  PUBLIC_URL.startsWith('https:') ? PUBLIC_URL : 'mailto:operator@localhost';

async function settle(
  { db }: Context,
  place: DuePlace,
  { endpoint }: Due,
  { status, retryAfterMs = 0 }: PushResponse,
): Promise<void> {
  if (status === 404 || status === 410) return deleteEndpoint(db, endpoint);
  const isTemporary = status === 0 || status === 429 || status >= 500;
  if (!isTemporary) {
    await store.deleteMessages(db, place, place.messageIds);
    await restPlace(db, place, paceMs);
    return;
  }
  // Messages that came later have attempts left.
  const attempts = await store.deleteTried(db, place, waits.length);
  const wait = waits[attempts - 1] ?? paceMs;
  await restPlace(db, place, Math.min(Math.max(wait, retryAfterMs), maxWaitMs));
}
