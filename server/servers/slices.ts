import type { Server } from '../../shared/servers.ts';
import type { Db } from '../database/database.ts';
import { findServersOf } from './store.ts';

/** The servers slice of a person's own room: each at the version which that room last told of it. */
export const serversOf = (db: Db, userId: string): Promise<Server[]> => findServersOf(db, userId);
