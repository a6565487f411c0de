import type { CustomEmoji } from '../../shared/emoji.ts';
import type { Db } from '../database/database.ts';
import { findEmoji } from './store.ts';

export const emojiIn = (db: Db, serverId: string): Promise<CustomEmoji[]> =>
  findEmoji(db, serverId);
