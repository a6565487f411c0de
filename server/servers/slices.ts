import type { Server } from '../../shared/servers.ts';
import type { Db } from '../database/database.ts';
import { findServersOf } from './store.ts';

/** The servers slice of a person's own room. Each has the version that the room last published. */
export const serversOf = (db: Db, userId: string): Promise<Server[]> => findServersOf(db, userId);
