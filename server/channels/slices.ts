import type { PrivateChannel, PublicChannel } from '../../shared/channels.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { findPrivateChannels, findPublicChannels } from './store.ts';

/** The channels slice of a server's room: those that everyone in it sees. */
export const channelsIn = (db: Db, serverId: string, page: Page = {}): Promise<PublicChannel[]> =>
  findPublicChannels(db, serverId, page);

/** The private channels slice of a person's own room: each at the version which that room last told of it. */
export const privateChannelsOf = (db: Db, userId: string, page: Page): Promise<PrivateChannel[]> =>
  findPrivateChannels(db, userId, page);
