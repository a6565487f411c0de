/** Lobby, the first server: it is created at the first start, new accounts join it, and it has no owner at first. */
import { v7 } from 'uuid';
import type { Account } from '../../shared/accounts.ts';
import { commit } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { readSetting, setting, type Instance } from '../node/instance.ts';
import { inviteOwner, ownershipInvite } from '../invites/invites.ts';
import { ownerOf } from '../members/access.ts';
import type { Context } from '../caller.ts';
import { foundServer } from './servers.ts';
import { findServerOfSetting } from './store.ts';

const key = 'lobby_id';

/** Creates Lobby at the first start. If it was deleted, it is not created again. */
export async function createLobby(context: Context): Promise<void> {
  const { node, db } = context;
  if (node.config.PARLEY_LOBBY === 'off' || (await readSetting(db, key)) !== undefined) return;
  const id = v7();
  await commit(context, { rooms: [] }, async (work) => {
    // Of several nodes that start at once, one writes the id; the others wait for its commit and read it.
    if ((await setting(work.db, key, () => id)) !== id) return;
    await foundServer(work, { id, name: 'Lobby' });
    await inviteOwner(work.db, id);
  });
}

/** The server that new accounts join; undefined if it was deleted or never created. */
export const lobbyId = (db: Db): Promise<string | undefined> => findServerOfSetting(db, key);

/** Whether this person owns Lobby, and so the instance. Nobody does if there is no Lobby. */
export async function ownsInstance(db: Db, user: Pick<Account, 'id'>): Promise<boolean> {
  const id = await lobbyId(db);
  return id !== undefined && (await ownerOf(db, id)) === user.id;
}

/** Instances that are known to have an owner: they are not checked again. */
const claimed = new WeakSet<Instance>();

/** Whether the instance has no owner yet. */
export async function isUnclaimed({ node: { instance }, db }: Context): Promise<boolean> {
  if (claimed.has(instance)) return false;
  if ((await ownerInvite(db)) !== undefined) return true;
  claimed.add(instance);
  return false;
}

/** The invite that makes somebody Lobby's owner, until there is one. */
export async function ownerInvite(db: Db): Promise<string | undefined> {
  const id = await lobbyId(db);
  return id === undefined ? undefined : ownershipInvite(db, id);
}
