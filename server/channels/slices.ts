import type { PrivateChannel } from '../../shared/channels.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { findPrivateChannels } from './store.ts';

/** The private channels slice of a person's own room: each at the version which that room last told of it. */
export const privateChannelsOf = (db: Db, userId: string, page: Page): Promise<PrivateChannel[]> =>
  findPrivateChannels(db, userId, page);
