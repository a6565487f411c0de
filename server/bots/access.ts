/** The owners of bots, for other features. */
import type { Db } from '../database/database.ts';
import { findBotIds } from './store.ts';

/** The ids of a person's bots. */
export const botIdsOf = (db: Db, ownerId: string): Promise<string[]> => findBotIds(db, ownerId);
