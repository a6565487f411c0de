import type { categoryCommands } from '../../shared/categories.ts';
import type { Handlers } from '../caller.ts';
import { createCategory, deleteCategory, listCategories, updateCategory } from './categories.ts';

export const categoryHandlers: Handlers<keyof typeof categoryCommands> = {
  'category:create': async (caller, input) => ({ category: await createCategory(caller, input) }),
  'category:list': async (caller, input) => ({ categories: await listCategories(caller, input) }),
  'category:update': async (caller, input) => ({ category: await updateCategory(caller, input) }),
  'category:delete': (caller, input) => deleteCategory(caller, input),
};
