import type { PrivateChannel, PublicChannel } from '../../shared/channels.ts';
import type { Db } from '../database/database.ts';
import { findPrivateChannels, findPublicChannels } from './store.ts';

/** The channels slice of a server's room: those that everyone in it sees. */
export const channelsIn = (db: Db, serverId: string): Promise<PublicChannel[]> =>
  findPublicChannels(db, serverId);

/** The private channels slice of a person's own room: each at the version which that room last told of it. */
export const privateChannelsOf = (db: Db, userId: string): Promise<PrivateChannel[]> =>
  findPrivateChannels(db, userId);
