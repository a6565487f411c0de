import type { Db } from '../database/database.ts';
import { findBotIds, findOwners } from './store.ts';

export const botIdsOf = (db: Db, ownerId: string): Promise<string[]> => findBotIds(db, ownerId);

/** The bots of these people, each with its owner. */
export const ownersOfBotsOf = (db: Db, ownerIds: string[]): Promise<Map<string, string>> =>
  findOwners(db, ownerIds);
