/** Dialogs for a channel. They close when the channel is removed. */
import type { Channel } from '../../shared/channels.ts';
import { isMemberByRole } from '../../shared/permissions.ts';
import { account } from '../accounts/account.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { overlay } from '../ui/overlay.svelte.ts';
import { ServerSettings } from '../servers/dialogs.ts';
import { servers } from '../servers/servers.svelte.ts';
import { channels } from './channels.svelte.ts';
import { ChannelSettings, LeaveChannel } from './dialogs.ts';

export function showChannelSettings({ serverId, id }: Channel, start?: 'topic'): void {
  const onchoosedefault = () => {
    overlay.close(ChannelSettings);
    chooseDefault(serverId);
  };
  overlay.open(ChannelSettings, () => {
    const server = servers.get(serverId);
    const channel = channels.get(serverId, id);
    return server && channel && { server, channel, start, onchoosedefault };
  });
}

function chooseDefault(serverId: string): void {
  overlay.open(ServerSettings, () => {
    const server = servers.get(serverId);
    return server && { server, start: 'default channel' as const };
  });
}

/** False for the owner of a server, who sees all of its channels, and for a person whose role opens this one. */
export function canLeave(channel: Channel): boolean {
  const { serverId } = channel;
  const roleIds = members.roleIdsOf(serverId, account.id);
  return (
    channel.private &&
    members.get(serverId, account.id)?.role !== 'owner' &&
    !isMemberByRole(channel, { roleIds })
  );
}

export function showLeaveChannel({ id }: Channel): void {
  overlay.open(LeaveChannel, () => {
    const channel = channels.getPrivate(id);
    return channel && { channel };
  });
}
