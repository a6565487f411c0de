import type { CustomEmoji } from '../../shared/emoji.ts';
import { conflict, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { recordAudit } from '../audit/audit.ts';
import { dropPicture, ownPicture } from '../files/files.ts';
import { actInServer } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import * as store from './store.ts';

export async function createEmoji(
  caller: Caller,
  { serverId, name, fileId: id }: Parsed<'emoji:create'>,
): Promise<CustomEmoji> {
  const room = serverRoom(serverId);
  const locks = { shared: serverId, rooms: [room] };
  const { id: createdBy } = caller.user;
  return actInServer(caller, 'manage channels', locks, async (work) => {
    const all = await store.findEmoji(work.db, serverId);
    const [known] = all.filter((emoji) => emoji.id === id || emoji.name === name);
    if (known?.id === id && known.name === name) return known;
    if (known !== undefined) throw conflict('This server already has an emoji with this name.');
    if (all.length >= quotas.emojiPerServer)
      throw conflict(`A server can have ${quotas.emojiPerServer} emoji. Delete one first.`);
    await ownPicture(work.db, { id: serverId, purpose: 'emoji' }, { id, uploaderId: createdBy });
    const version = work.nextVersion(room);
    const emoji = await store.insertEmoji(work.db, { id, serverId, name, version, createdBy });
    work.change(room, { type: 'emoji:created', version, emoji });
    return emoji;
  });
}

/** Deletes an emoji. Messages that use it keep its name. */
export async function deleteEmoji(
  caller: Caller,
  { serverId, emojiId }: Parsed<'emoji:delete'>,
): Promise<Record<string, never>> {
  const room = serverRoom(serverId);
  const locks = { shared: serverId, rooms: [room] };
  return actInServer(caller, 'manage channels', locks, async (work) => {
    const all = await store.findEmoji(work.db, serverId);
    const emoji = all.find(({ id }) => id === emojiId);
    if (emoji === undefined) throw notFound();
    const version = work.nextVersion(room);
    await store.deleteEmoji(work.db, emojiId);
    await dropPicture(work.db, serverId, emojiId);
    work.change(room, { type: 'emoji:deleted', version, emojiId });
    const deed = { action: 'emoji:deleted', serverId, subjectId: emojiId } as const;
    await recordAudit(work.db, caller, { ...deed, detail: emoji.name });
    return {};
  });
}
