import type { Member } from '../../shared/members.ts';
import type { Db } from '../database/database.ts';
import { findMembers } from './store.ts';

export function membersIn(db: Db, serverId: string): Promise<Member[]> {
  return findMembers(db, serverId);
}
