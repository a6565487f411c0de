/** Publishes changes of private channels in the own rooms of their members. */
import type { PrivateChannel } from '../../shared/channels.ts';
import { userRoom } from '../../shared/rooms.ts';
import type { RoomTransaction } from '../commit.ts';
import { setRoomVersions, type MemberVersion } from './private-store.ts';
import * as store from './store.ts';

/** With more members, a change carries only the names of new ones: all names to all would be dozens of megabytes. */
const maxExplained = 50;

export async function changePrivateChannel(
  work: RoomTransaction,
  channelId: string,
  newcomers: string[] = [],
): Promise<void> {
  await changePrivateChannels(
    work,
    [await store.storedChannel(work.db, channelId, true)],
    newcomers,
  );
}

export async function changePrivateChannels(
  work: RoomTransaction,
  channels: PrivateChannel[],
  newcomers: string[] = [],
): Promise<void> {
  const isNew = new Set(newcomers);
  const memberVersions: MemberVersion[] = [];
  for (const channel of channels) {
    const explained = channel.memberIds.length > maxExplained ? newcomers : channel.memberIds;
    for (const userId of channel.memberIds) {
      const room = userRoom(userId);
      const version = work.nextVersion(room);
      memberVersions.push({ channelId: channel.id, userId, version });
      const row = { ...channel, version };
      if (isNew.has(userId))
        work.change(room, { type: 'privateChannel:joined', version, channel: row });
      else work.change(room, { type: 'privateChannel:updated', version, channel: row }, explained);
    }
  }
  await setRoomVersions(work.db, memberVersions);
}
