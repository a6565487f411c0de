import type { Category } from '../../shared/categories.ts';
import { named, query, within, type Db } from '../database/database.ts';
import { categories, type CategoryRow } from './model.ts';

const toCategory = ({ createdAt, ...row }: CategoryRow): Category => ({
  ...row,
  createdAt: createdAt.toISOString(),
});

export async function findCategory(db: Db, id: string): Promise<Category | undefined> {
  const row = await categories(db).findByPk(id, within(db));
  return row === null ? undefined : toCategory(row.get());
}

const categoriesOf = named(
  `select id, server_id as "serverId", name, position, created_at as "createdAt", version
   from categories where server_id = $1 order by position, id`,
);

export async function findCategories(db: Db, serverId: string): Promise<Category[]> {
  return (await query<CategoryRow>(db, categoriesOf, [serverId])).map(toCategory);
}

export async function insertCategory(
  db: Db,
  category: Omit<Category, 'createdAt'>,
): Promise<Category> {
  const row = await categories(db).create(category, within(db));
  return toCategory(row.get());
}

export async function updateCategory(
  db: Db,
  id: string,
  to: Partial<Pick<Category, 'name' | 'position'>> & Pick<Category, 'version'>,
): Promise<Category> {
  const [, [row]] = await categories(db).update(to, {
    where: { id },
    returning: true,
    ...within(db),
  });
  if (row === undefined) throw new Error('a category is missing although its server is locked');
  return toCategory(row.get());
}

export async function deleteCategory(db: Db, id: string): Promise<void> {
  await categories(db).destroy({ where: { id }, ...within(db) });
}
