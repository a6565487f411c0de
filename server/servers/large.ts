/**
 * Large servers. In one with thousands of members, most changes in its room would be of people coming and
 * going whom hardly anybody there knows, and each joining would wait for the one before. So once a server has
 * grown large, which it then is for good, its room holds its staff only, and everyone else is read by pages.
 */
import { serverRoom, type Room } from '../../shared/rooms.ts';
import type { App } from '../app.ts';
import { every } from '../beat.ts';
import type { Work } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { findLarge, markLarge } from './store.ts';

/** The servers known here to be large, for whatever may be wrong for a while after one has become so. */
export type Large = Set<string>;

export const isLarge = async (db: Db, serverId: string): Promise<boolean> =>
  (await findLarge(db, [serverId])).length > 0;

/** The rooms that an ordinary member's joining changes: of a large server none, so that nobody waits for another. */
export async function roomsToJoin(db: Db, serverIds: string[]): Promise<Room[]> {
  const large = await findLarge(db, serverIds);
  return serverIds.filter((id) => !large.includes(id)).map(serverRoom);
}

/** Makes a server large. Whoever is in its room holds rows that nobody will tell of again, and takes all of it anew. */
export async function growLarge(work: Work, serverId: string): Promise<void> {
  await markLarge(work.db, serverId);
  work.next(serverRoom(serverId));
  work.renew(serverRoom(serverId));
}

export async function readLarge({ db, large }: Pick<App, 'db' | 'large'>): Promise<void> {
  for (const id of await findLarge(db)) large.add(id);
}

export const watchLarge = (app: App): NodeJS.Timeout =>
  every(app, 10_000, 'large', () => readLarge(app));
