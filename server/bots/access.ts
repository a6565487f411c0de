/** Whose which bot is: what others ask who must not know more of bots. */
import type { Db } from '../database/database.ts';
import { findBotIds } from './store.ts';

/** The ids of a person's bots. */
export const botIdsOf = (db: Db, ownerId: string): Promise<string[]> => findBotIds(db, ownerId);
