import type { Server } from '../../shared/servers.ts';
import type { Db } from '../database/database.ts';
import { membershipsOf } from '../members/access.ts';
import { findServer, findServers } from './store.ts';

/** The servers slice of a person's own room: each at the version which that room last told of it. */
export async function serversOf(db: Db, userId: string): Promise<Server[]> {
  const versions = await membershipsOf(db, userId);
  const mine = await findServers(db, [...versions.keys()]);
  return mine.map((server) => ({ ...server, version: versions.get(server.id) ?? server.version }));
}

/** The servers slice of a server's room: that one. */
export async function serverItself(db: Db, serverId: string): Promise<Server[]> {
  const server = await findServer(db, serverId);
  return server === undefined ? [] : [server];
}
