/** Who writes to each other sees how the other is; the two of a pair across a block do not. */
import type { App } from '../app.ts';
import { blockedPairs } from '../blocks/access.ts';
import type { Db } from '../database/database.ts';
import { broadcastPresenceTo } from '../presence/broadcast.ts';
import { findPartners, findPartnersAmong } from './store.ts';

/** Each of `userIds` who sees how some of `otherIds` are, because of a conversation, and which. */
export async function partnersAmong(
  db: Db,
  userIds: string[],
  otherIds: string[],
): Promise<Map<string, string[]>> {
  const partners = await findPartnersAmong(db, userIds, otherIds);
  const apart = await blockedPairs(
    db,
    partners.flatMap(({ userId, otherId, isPair }) => (isPair ? [[userId, otherId] as const] : [])),
  );
  const among = new Map<string, string[]>();
  for (const { userId, otherId, isPair } of partners)
    if (!isPair || !apart(userId, otherId))
      among.set(userId, [...(among.get(userId) ?? []), otherId]);
  return among;
}

/** All whom a person sees because of a conversation. */
export async function partnersSeenBy(db: Db, userId: string): Promise<string[]> {
  const partners = await findPartners(db, userId);
  return (await partnersAmong(db, [userId], partners)).get(userId) ?? [];
}

/** Says to those in a conversation how its newcomers are, and to these how all are: nothing changed in that, so nobody else would. */
export async function announcePresenceToAll(
  app: App,
  participantIds: string[],
  newcomers: string[],
): Promise<void> {
  const others = participantIds.filter((id) => !newcomers.includes(id));
  for (const among of [
    await partnersAmong(app.db, participantIds, newcomers),
    await partnersAmong(app.db, newcomers, others),
  ])
    for (const [userId, theirs] of among)
      broadcastPresenceTo(app, userId, app.presence.statuses(theirs));
}

/** After a block was made or lifted: says to two who have written to each other how the other is, if they see that. */
export async function announcePresenceOfPair(app: App, one: string, other: string): Promise<void> {
  if ((await findPartnersAmong(app.db, [one], [other])).length === 0) return;
  const seen = (await partnersAmong(app.db, [one], [other])).has(one);
  for (const [userId, theirs] of [
    [one, other],
    [other, one],
  ] as const)
    broadcastPresenceTo(
      app,
      userId,
      seen ? app.presence.statuses([theirs]) : { [theirs]: 'offline' },
    );
}
