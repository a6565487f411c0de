import type { Category } from '../../shared/categories.ts';
import type { Db } from '../database/database.ts';
import { findCategories } from './store.ts';

export function categoriesIn(db: Db, serverId: string): Promise<Category[]> {
  return findCategories(db, serverId);
}
