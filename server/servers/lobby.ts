/** Lobby, the first server. It is created at the first start without an owner, and new accounts join it. */
import { v7 } from 'uuid';
import { commit } from '../commit.ts';
import { readInstanceSettings } from '../node/instance-settings.ts';
import { readSetting, setting } from '../node/instance.ts';
import { inviteOwner } from '../invites/invites.ts';
import type { Context } from '../caller.ts';
import { lobbySetting } from './access.ts';
import { foundServer } from './servers.ts';

/** A deleted Lobby is not created again. */
export async function createLobby(context: Context): Promise<void> {
  const { node, db } = context;
  if (node.config.PARLEY_LOBBY === 'off' || (await readSetting(db, lobbySetting)) !== undefined)
    return;
  const id = v7();
  await commit(context, { rooms: [] }, async (work) => {
    // If several nodes start at once, one writes the id. The others wait for its commit and read it.
    if ((await setting(work.db, lobbySetting, () => id)) !== id) return;
    const { registration } = await readInstanceSettings(work.db, node.config);
    const messageRequests = registration === 'open';
    await foundServer(work, { id, name: 'Lobby', messageRequests });
    await inviteOwner(work.db, id);
  });
}
