import type { SidebarList } from '../../shared/sidebar.ts';
import type { Db } from '../database/database.ts';
import { findLists } from './store.ts';

export const sidebarListsOf = (db: Db, userId: string): Promise<SidebarList[]> =>
  findLists(db, userId);
