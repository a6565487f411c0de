import type { Conversation } from '../../shared/conversations.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { findConversations } from './store.ts';

export const conversationsOf = (db: Db, userId: string, page: Page = {}): Promise<Conversation[]> =>
  findConversations(db, userId, page);
