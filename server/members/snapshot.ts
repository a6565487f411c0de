import type { Member } from '../../shared/members.ts';
import type { Db } from '../database/database.ts';
import { membersTold } from './members.ts';

export function membersIn(db: Db, serverId: string): Promise<Member[]> {
  return membersTold(db, serverId);
}
