import type { Db } from '../database/database.ts';
import { findBotIds } from './store.ts';

export const botIdsOf = (db: Db, ownerId: string): Promise<string[]> => findBotIds(db, ownerId);
