import { z } from 'zod';
import { command, Id, Name, NewId, Nothing, SortPosition, Time, Version } from './contract.ts';
import { limits } from './limits.ts';

export const CategoryName = Name(limits.categoryName);

/** A heading for channels. Channels without one are above all categories. */
export const Category = z.strictObject({
  id: Id,
  serverId: Id,
  name: z.string(),
  /** Lower comes first. */
  position: z.number(),
  createdAt: Time,
  version: Version,
});
export type Category = z.infer<typeof Category>;

const One = z.strictObject({ category: Category });

export const categoryCommands = {
  'category:create': command({
    summary:
      'Creates a category, below the others. For moderators, the owner and custom roles with `manage channels`.',
    input: z.strictObject({ serverId: Id, name: CategoryName, id: NewId.optional() }),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'create',
    http: 'POST /api/servers/[serverId]/categories',
  }),
  'category:list': command({
    summary: 'Lists the categories of a server, in order.',
    input: z.strictObject({ serverId: Id }),
    output: z.strictObject({ categories: z.array(Category) }),
    errors: ['not_found'],
    rate: 'read',
    http: 'GET /api/servers/[serverId]/categories',
  }),
  'category:update': command({
    summary:
      'Renames a category, or moves it to the place of the category that is at `position` now. For moderators, the owner and custom roles with `manage channels`.',
    input: z.strictObject({
      categoryId: Id,
      name: CategoryName.optional(),
      position: SortPosition.optional(),
    }),
    output: One,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
    http: 'PATCH /api/categories/[categoryId]',
  }),
  'category:delete': command({
    summary:
      'Deletes a category. Its channels stay without a category, below the others without one. For moderators, the owner and custom roles with `manage channels`.',
    input: z.strictObject({ categoryId: Id }),
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
    http: 'DELETE /api/categories/[categoryId]',
  }),
};
