import type { Category } from '../../shared/categories.ts';
import { notFound } from '../../shared/failure.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Db } from '../database/database.ts';
import { serverFor, type ServerAccess } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { findCategory } from './store.ts';

export interface CategoryAccess extends ServerAccess {
  category: Category;
}

/**
 * The only way to a category. A category in a server without the caller looks like a missing one.
 * @throws ChatError not_found, or forbidden to members without the permission
 */
export async function categoryFor(
  db: Db,
  caller: Pick<Caller, 'user'>,
  categoryId: string,
  permission: Permission,
): Promise<CategoryAccess> {
  const category = await findCategory(db, categoryId);
  if (category === undefined) throw notFound();
  return { ...(await serverFor(db, caller, category.serverId, permission)), category };
}

/** @throws ChatError not_found, also for a category of another server */
export async function requireCategoryIn(
  db: Db,
  serverId: string,
  categoryId: string,
): Promise<void> {
  if ((await findCategory(db, categoryId))?.serverId !== serverId) throw notFound();
}
