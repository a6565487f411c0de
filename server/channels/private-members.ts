import { conflict, forbidden, notFound } from '../../shared/failure.ts';
import type { Channel } from '../../shared/channels.ts';
import { isMemberByRole } from '../../shared/permissions.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { recordAudit } from '../audit/audit.ts';
import { memberOf } from '../members/access.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Caller } from '../caller.ts';
import { changeChannel } from './with-channel.ts';
import { addToChannel, removeFromChannel } from './private-channels.ts';

export async function addChannelMember(
  caller: Caller,
  { channelId, userId }: Parsed<'channel:addMember'>,
): Promise<Record<string, never>> {
  const newcomers = () => Promise.resolve([userId]);
  const change = { permission: 'manage channels', lock: 'exclusive', newcomers } as const;
  return changeChannel(caller, channelId, change, async (work, { channel }) => {
    if (!channel.private) throw conflict('Everyone in the server can see this channel.');
    await addToChannel(work, channel, [userId], caller.user.id);
    if (!channel.memberIds.includes(userId))
      await recordMember(work, caller, channel, 'channel:memberAdded', userId);
    return {};
  });
}

export async function removeChannelMember(
  caller: Caller,
  { channelId, userId }: Parsed<'channel:removeMember'>,
): Promise<Record<string, never>> {
  const isMe = userId === caller.user.id;
  const change = { permission: isMe ? 'see' : 'manage channels', lock: 'exclusive' } as const;
  return changeChannel(caller, channelId, change, async (work, { channel, member }) => {
    if (!channel.private) throw conflict('Everyone in the server can see this channel.');
    const target = await memberOf(work.db, channel.serverId, userId);
    if (target === undefined || !channel.memberIds.includes(userId)) throw notFound();
    if (target.role === 'owner')
      throw conflict('The owner of a server can see all of its channels.');
    if (isMemberByRole(channel, target))
      throw conflict(
        isMe
          ? 'You have access through one of your roles, so you can’t leave this channel.'
          : 'They have access through one of their roles. Remove that role first.',
      );
    // Also by members with a role that grants it.
    if (!isMe && target.role === 'moderator' && member.role !== 'owner')
      throw forbidden('Only the owner can do this to moderators.');
    await removeFromChannel(work, channel, userId, isMe ? 'left' : 'removed');
    if (!isMe) await recordMember(work, caller, channel, 'channel:memberRemoved', userId);
    return {};
  });
}

const recordMember = (
  { db }: RoomTransaction,
  caller: Caller,
  { id: subjectId, serverId }: Channel,
  action: 'channel:memberAdded' | 'channel:memberRemoved',
  userId: string,
): Promise<void> => recordAudit(db, caller, { action, serverId, subjectId, userId });
