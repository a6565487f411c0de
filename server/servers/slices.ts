import type { Server } from '../../shared/servers.ts';
import type { Db } from '../database/database.ts';
import { findServer, findServersOf } from './store.ts';

/** The servers slice of a person's own room: each at the version which that room last told of it. */
export const serversOf = (db: Db, userId: string): Promise<Server[]> => findServersOf(db, userId);

/** The servers slice of a server's room: that one. */
export async function serverItself(db: Db, serverId: string): Promise<Server[]> {
  const server = await findServer(db, serverId);
  return server === undefined ? [] : [server];
}
