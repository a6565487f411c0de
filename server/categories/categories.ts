import { v7 } from 'uuid';
import type { Category } from '../../shared/categories.ts';
import { conflict } from '../../shared/failure.ts';
import { lastPlace, moveTo } from '../../shared/order.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { recordAudit } from '../audit/audit.ts';
import { locksOfRenumbering } from '../channels/channels.ts';
import { uncategorise } from '../channels/positions.ts';
import { withAccess, type RoomTransaction } from '../commit.ts';
import { actInServer, serverFor } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { categoryFor } from './access.ts';
import * as store from './store.ts';

/** Called again with the same id and name, it returns the same category. */
export async function createCategory(
  caller: Caller,
  { serverId, name, id = v7() }: Parsed<'category:create'>,
): Promise<Category> {
  const room = serverRoom(serverId);
  return actInServer(
    caller,
    'manage channels',
    { shared: serverId, rooms: [room] },
    async (work) => {
      const categories = await store.findCategories(work.db, serverId);
      const stored = categories.find((category) => category.id === id && category.name === name);
      if (stored !== undefined) return stored;
      if (categories.length >= quotas.categoriesPerServer)
        throw conflict(`A server can have ${quotas.categoriesPerServer} categories.`);
      if ((await store.findCategory(work.db, id)) !== undefined)
        throw conflict('This id is taken.');
      const version = work.nextVersion(room);
      const position = lastPlace(categories);
      const made = { id, serverId, name, position, version };
      const category = await store.insertCategory(work.db, made);
      work.change(room, { type: 'category:created', version, category });
      return category;
    },
  );
}

export async function listCategories(
  caller: Caller,
  { serverId }: Parsed<'category:list'>,
): Promise<Category[]> {
  await serverFor(caller.db, caller, serverId, 'see');
  return store.findCategories(caller.db, serverId);
}

export async function updateCategory(
  caller: Caller,
  { categoryId, name, position }: Parsed<'category:update'>,
): Promise<Category> {
  return changeCategory(caller, categoryId, 'shared', async (work, category) => {
    const wanted = {
      name: name ?? category.name,
      position: position === undefined ? category.position : await move(work, category, position),
    };
    if (wanted.name === category.name && wanted.position === category.position) return category;
    return write(work, category, wanted);
  });
}

/** Deletes a category. Its channels stay. */
export async function deleteCategory(
  caller: Caller,
  { categoryId }: Parsed<'category:delete'>,
): Promise<Record<string, never>> {
  return changeCategory(
    caller,
    categoryId,
    'exclusive',
    async (work, { serverId, name: detail }) => {
      await uncategorise(work, serverId, categoryId);
      const room = serverRoom(serverId);
      const version = work.nextVersion(room);
      await store.deleteCategory(work.db, categoryId);
      work.change(room, { type: 'category:deleted', version, categoryId });
      const deed = { action: 'category:deleted', serverId, subjectId: categoryId } as const;
      await recordAudit(work.db, caller, { ...deed, detail });
      return {};
    },
  );
}

/** `exclusive` also locks the channels' rooms, so that nobody gains or loses sight of a channel meanwhile. */
function changeCategory<T>(
  caller: Caller,
  categoryId: string,
  lock: 'shared' | 'exclusive',
  work: (work: RoomTransaction, category: Category) => Promise<T>,
): Promise<T> {
  return withAccess(
    caller,
    (db) => categoryFor(db, caller, categoryId, 'manage channels'),
    ({ server: { id } }) =>
      lock === 'exclusive'
        ? locksOfRenumbering(caller, id)
        : { shared: [id], rooms: [serverRoom(id)] },
    (under, { category }) => work(under, category),
  );
}

/** Returns the position in place of the category at `wanted`, and renumbers others if needed. */
async function move(work: RoomTransaction, { id, serverId, position }: Category, wanted: number) {
  const categories = await store.findCategories(work.db, serverId);
  const others = categories.filter((category) => category.id !== id);
  const move = moveTo(others, wanted, position);
  for (const other of move.renumbered) await write(work, other, { position: other.position });
  return move.position;
}

async function write(
  work: RoomTransaction,
  { id, serverId }: Category,
  to: Partial<Pick<Category, 'name' | 'position'>>,
): Promise<Category> {
  const room = serverRoom(serverId);
  const version = work.nextVersion(room);
  const category = await store.updateCategory(work.db, id, { ...to, version });
  work.change(room, { type: 'category:updated', version, category });
  return category;
}
