/**
 * Push messages, sent by whichever node finds them due: some seconds after the message, and only while nobody of that
 * person has read it. As long as one of their devices is in use, that one tells of it.
 */
import webPush from 'web-push';
import { attempt } from '../node/attempt.ts';
import { every } from '../node/timer.ts';
import type { Context, Node } from '../caller.ts';
import { pushedContentOf, isWanted } from './content.ts';
import { findDue, type Due } from './content-store.ts';
import { vapidKeys } from './keys.ts';
import { postPush, type PushResponse } from './post.ts';
import * as store from './queue-store.ts';
import { serviceOf } from './services.ts';
import { deleteEndpoint } from './subscription-store.ts';

const beatMs = 1_000;
/** So many new messages at a time. */
const slice = 200;
/** A person who looks at it on any device has read it by then. Of one timeline only the newest of a moment is sent. */
const spreading = { most: slice, graceMs: 3_000, perTimeline: 3 };
/** Due for one device. */
const maxDue = 50;
/** Under way at a time, on one node. */
const maxSending = 16;
/** Longer than sending one takes: after that its node has ended, and another sends it. */
const leaseMs = 60_000;
const whileActiveMs = 10_000;
/** Before each further attempt. */
const waits = [5_000, 30_000, 120_000, 600_000];
const maxWaitMs = 1_800_000;
/** For so long the push service keeps what it cannot deliver. */
const ttlSeconds = 86_400;

/** Sends pushes that are due. A push under way at the end is due again, for the next node that claims it. */
export function sendPushes(context: Context): () => Promise<void> {
  const { node, db } = context;
  const sending = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const begin = (push: store.Push) => {
    const done = attempt(node, 'push', () => send(context, push, ending.signal)).finally(() =>
      sending.delete(done),
    );
    sending.add(done);
  };
  const stop = every(node, beatMs, 'push', async () => {
    if (node.draining) return;
    const sessionIds = await store.spread(db, spreading);
    if (sessionIds.length > 0) await store.deleteSurplusPushes(db, sessionIds, maxDue);
    const free = maxSending - sending.size;
    if (free > 0) for (const push of await store.claim(db, free, leaseMs)) begin(push);
  });
  return async () => {
    stop();
    ending.abort();
    await Promise.all(sending);
  };
}

async function send(context: Context, push: store.Push, stop: AbortSignal): Promise<void> {
  const { node, db } = context;
  const due = await findDue(db, push);
  const service = due && serviceOf(node.config, due.endpoint);
  if (due === undefined || service === undefined || !(await isWanted(db, due))) {
    await store.deletePush(db, push);
    return;
  }
  if (node.cluster.leases.status(due.user.id) === 'online') {
    await store.postpone(db, { ...push, attempts: push.attempts - 1 }, whileActiveMs);
    return;
  }
  const request = await requestOf(context, due);
  await settle(context, push, due, await postPush(request, service, stop));
}

async function requestOf(context: Context, due: Due) {
  const { endpoint, p256dh, auth } = due;
  const [content, keys] = await Promise.all([
    pushedContentOf(context.db, due),
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
  push: store.Push,
  { endpoint }: Due,
  { status, retryAfterMs = 0 }: PushResponse,
): Promise<void> {
  if (status === 404 || status === 410) return deleteEndpoint(db, endpoint);
  const wait = waits[push.attempts - 1];
  const isTemporary = status === 0 || status === 429 || status >= 500;
  if (!isTemporary || wait === undefined) return store.deletePush(db, push);
  await store.postpone(db, push, Math.min(Math.max(wait, retryAfterMs), maxWaitMs));
}
