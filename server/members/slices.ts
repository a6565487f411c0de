import type { Member } from '../../shared/members.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { membersTold } from './members.ts';

export function membersIn(db: Db, serverId: string, page: Page): Promise<Member[]> {
  return membersTold(db, serverId, page);
}
