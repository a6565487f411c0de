import type { PrivateChannel } from '../../shared/channels.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { findPrivateChannels } from './store.ts';

/** A row has the version of the person's own room, which publishes it, not that of the server's room. */
export const privateChannelsOf = (db: Db, userId: string, page: Page): Promise<PrivateChannel[]> =>
  findPrivateChannels(db, userId, page);
