/** Changes a person’s sidebar lists, a slice of their own room. */
import { isDeepStrictEqual } from 'node:util';
import { conflict } from '../../shared/failure.ts';
import { inOrder, withPlaced } from '../../shared/placing.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import { userRoom } from '../../shared/rooms.ts';
import type { SidebarList, SidebarListName } from '../../shared/sidebar.ts';
import { categoryFor } from '../categories/access.ts';
import { channelFor, channelsOf } from '../channels/access.ts';
import { commit } from '../commit.ts';
import type { Ending } from '../endings.ts';
import type { Caller } from '../caller.ts';
import type { Db } from '../database/database.ts';
import { serverFor } from '../servers/access.ts';
import { listServers } from '../servers/servers.ts';
import * as store from './store.ts';

interface Kind {
  /** @throws ChatError not_found if the caller can’t see it */
  requireSeen: (db: Db, caller: Caller, targetId: string) => Promise<unknown>;
  /** The ids among these that the person can still see. For `servers`: all of the person’s servers, these first. */
  current: (db: Db, caller: Caller, ids: string[]) => Promise<string[]>;
  most: number;
  full: string;
}

const idsOf = (things: { id: string }[]) => things.map(({ id }) => id);

const kinds: Record<SidebarListName, Kind> = {
  servers: {
    requireSeen: (db, caller, id) => serverFor(db, caller, id, 'see'),
    current: async (db, caller, ids) => inOrder(ids, idsOf(await listServers({ ...caller, db }))),
    most: quotas.serversPerPerson,
    full: `You can be in up to ${quotas.serversPerPerson} servers. Leave one first.`,
  },
  favourites: {
    requireSeen: (db, caller, id) => channelFor(db, caller, id, 'see'),
    current: async (db, caller, ids) => {
      const seen = new Set(idsOf(await channelsOf(db, caller.user.id)));
      return ids.filter((id) => seen.has(id));
    },
    most: quotas.favouriteChannels,
    full: `You can have up to ${quotas.favouriteChannels} favourites. Remove one first.`,
  },
  collapsed: {
    requireSeen: (db, caller, id) => categoryFor(db, caller, id, 'see'),
    current: (db, { user }, ids) => store.findCategoryIdsAmong(db, user.id, ids),
    most: quotas.collapsedCategories,
    full: `You can collapse up to ${quotas.collapsedCategories} categories. Expand one first.`,
  },
};

/** Returns the list. @throws ChatError not_found, or conflict if the list is full */
export async function placeInSidebar(
  caller: Caller,
  { list, targetId, before }: Parsed<'sidebar:place'>,
): Promise<SidebarList> {
  const { requireSeen, current, most, full } = kinds[list];
  await requireSeen(caller.db, caller, targetId);
  return updateList(caller, list, async (db, ids) => {
    if (list === 'collapsed' && ids.includes(targetId)) return ids;
    // The first move stores all servers, so that the next one finds its neighbours.
    const known = list === 'servers' ? await current(db, caller, ids) : ids;
    const next = withPlaced(known, { id: targetId, before });
    if (next.length <= most) return next;
    // Entries that the person can no longer see are removed only when the list is full.
    const seen = await current(db, caller, next);
    if (seen.length > most) throw conflict(full);
    return seen;
  });
}

/** Returns the list. */
export const removeFromSidebar = (
  caller: Caller,
  { list, targetId }: Parsed<'sidebar:remove'>,
): Promise<SidebarList> =>
  updateList(caller, list, (_db, ids) => Promise.resolve(ids.filter((id) => id !== targetId)));

function updateList(
  caller: Caller,
  list: SidebarListName,
  nextOf: (db: Db, ids: string[]) => Promise<string[]>,
): Promise<SidebarList> {
  const userId = caller.user.id;
  const room = userRoom(userId);
  return commit(caller, { rooms: [room] }, async (work) => {
    const known = await store.findList(work.db, userId, list);
    const ids = await nextOf(work.db, known.ids);
    if (isDeepStrictEqual(ids, known.ids)) return known;
    const version = work.nextVersion(room);
    const sidebarList = { list, ids, version };
    await store.saveList(work.db, userId, sidebarList);
    work.change(room, { type: 'sidebarList:updated', version, sidebarList });
    return sidebarList;
  });
}

/** Publishes nothing: a former guest has no device left. */
export const sidebarEnding: Ending = { account: ({ db }, { id }) => store.deleteLists(db, id) };
