/** The first server: it is there at the first start, new accounts join it, and its owner is yet to come. */
import { v7 } from 'uuid';
import type { Account } from '../../shared/accounts.ts';
import type { App } from '../app.ts';
import { commit } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { readSetting, setting } from '../node/instance.ts';
import { inviteOwner, ownershipInvite } from '../invites/invites.ts';
import { foundServer } from './servers.ts';
import { ownerOf } from '../members/access.ts';
import { findServerOfSetting } from './store.ts';

const key = 'lobby_id';

/** Makes Lobby at the first start. Once deleted it stays so. */
export async function openLobby(app: App): Promise<void> {
  if (app.config.PARLEY_LOBBY === 'off' || (await readSetting(app.db, key)) !== undefined) return;
  const id = v7();
  await commit(app, { rooms: [] }, async (work) => {
    // Of several nodes that start at once one writes its id; the others wait for its commit, and read that.
    if ((await setting(work.db, key, () => id)) !== id) return;
    await foundServer(work, { id, name: 'Lobby' });
    await inviteOwner(work.db, id);
  });
}

/** The server that new accounts join; undefined once it was deleted, or if it was never made. */
export const lobbyId = (db: Db): Promise<string | undefined> => findServerOfSetting(db, key);

/** Whether somebody owns Lobby, and so the instance. Nobody does where there is no Lobby. */
export async function ownsInstance(db: Db, user: Pick<Account, 'id'>): Promise<boolean> {
  const id = await lobbyId(db);
  return id !== undefined && (await ownerOf(db, id)) === user.id;
}

/** Instances that somebody owns: they are not asked about again. */
const claimed = new WeakSet<App['instance']>();

/** Whether nobody has become the owner yet. */
export async function isUnclaimed({ db, instance }: App): Promise<boolean> {
  if (claimed.has(instance)) return false;
  if ((await ownerInvite(db)) !== undefined) return true;
  claimed.add(instance);
  return false;
}

/** The code by which somebody becomes Lobby's owner, until somebody did. */
export async function ownerInvite(db: Db): Promise<string | undefined> {
  const id = await lobbyId(db);
  return id === undefined ? undefined : ownershipInvite(db, id);
}
