import type { Member } from '../../shared/members.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { listedMembers } from './members.ts';

export function membersIn(db: Db, serverId: string, page: Page): Promise<Member[]> {
  return listedMembers(db, serverId, page);
}
