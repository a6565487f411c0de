/** The devices that receive push messages: at most one subscription for each session, deleted with the session. */
import { ChatError, invalid, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { transaction } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import { freePlaces } from './claim-store.ts';
import { isOnCurve } from './curve.ts';
import { serviceOf } from './services.ts';
import * as store from './subscription-store.ts';

/** Over the quota, deletes the oldest. @throws ChatError invalid; unauthenticated if the session ends at this moment */
export async function addSubscription(
  { node, db, user, sessionId }: Caller,
  { endpoint, p256dh, auth, hidesText }: Parsed<'push:subscribe'>,
): Promise<void> {
  if (serviceOf(node.config, endpoint) === undefined)
    throw invalid('Parley doesn’t know this push service.', 'endpoint');
  if (!isOnCurve(p256dh)) throw invalid('This isn’t a public key.', 'p256dh');
  await transaction(db, async (db) => {
    // If two sessions of one browser subscribe at once, the later one gets the endpoint.
    await store.lockEndpoint(db, endpoint);
    const saved = await store.saveSubscription(db, {
      ...{ sessionId, userId: user.id, endpoint, p256dh, auth, hidesText },
    });
    if (saved === undefined) throw new ChatError('unauthenticated', 'Sign in first.');
    await store.deleteSurplus(db, user.id, quotas.pushDevices);
    if (saved.isNew) await freePlaces(db, sessionId);
  });
}

/** Another device stays off until it is turned on there. @throws ChatError not_found if it is not subscribed */
export async function removeSubscription(
  { db, user, sessionId: own }: Caller,
  sessionId = own,
): Promise<void> {
  if (sessionId === own) await store.deleteSubscription(db, own);
  else if (!(await store.turnOffSubscription(db, user.id, sessionId))) throw notFound();
}

export async function listSubscribed({
  db,
  user,
  sessionId: current,
}: Caller): Promise<Output<'push:list'>> {
  const found = await store.findSubscriptions(db, user.id);
  return {
    sessionIds: found.filter(({ isOn }) => isOn).map(({ sessionId }) => sessionId),
    current,
    isTurnedOff: found.some(({ sessionId, isOn }) => sessionId === current && !isOn),
  };
}
