import type { Conversation } from '../../shared/conversations.ts';
import type { Db } from '../database/database.ts';
import { findConversations } from './store.ts';

/** The conversations slice of a person's own room. */
export const conversationsOf = (db: Db, userId: string): Promise<Conversation[]> =>
  findConversations(db, userId);
