import type { Channel } from '../../shared/channels.ts';
import type { Db } from '../database/database.ts';
import { findChannels } from './store.ts';

export function channelsIn(db: Db, serverId: string): Promise<Channel[]> {
  return findChannels(db, serverId);
}
