import type { ChosenStatus } from '../../shared/presence.ts';
import type { Db } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import { findStatuses, saveStatus } from './store.ts';

export async function chooseStatus(
  { node, db, user }: Caller,
  status: ChosenStatus,
): Promise<void> {
  await saveStatus(db, user.id, status);
  node.presence.chose(user.id, status);
}

export function noteUse({ node, user, socket }: Caller, active: boolean): void {
  if (socket !== undefined) node.presence.used(user.id, socket.id, active);
}

export const chosenStatus = async (db: Db, userId: string): Promise<ChosenStatus> =>
  (await chosenStatuses(db, [userId]))(userId);

/** The chosen status of each person. The default `online` leaves the status to their devices. */
export async function chosenStatuses(
  db: Db,
  userIds: string[],
): Promise<(userId: string) => ChosenStatus> {
  const found = await findStatuses(db, userIds);
  const chosen = new Map(found.map(({ userId, status }) => [userId, status]));
  return (userId) => chosen.get(userId) ?? 'online';
}
