import type { PrivateChannel } from '../../shared/channels.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { findPrivateChannels } from './store.ts';

/** Rows have the version of the person's own room, not of the server's, because changes are published there. */
export const privateChannelsOf = (db: Db, userId: string, page: Page): Promise<PrivateChannel[]> =>
  findPrivateChannels(db, userId, page);
