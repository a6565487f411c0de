/** Actions of moderators on members. */
import type { Input } from '../../shared/protocol.ts';
import { send } from '../session/socket.ts';
import { largeMembers } from './large-members.svelte.ts';
import { members } from './members.svelte.ts';

export type Managing =
  'member' | 'moderator' | 'roles' | 'remove' | 'ban' | 'time out' | 'end time-out' | undefined;

export async function timeOut(input: Input<'member:timeOut'>) {
  members.take(input.serverId, (await send('member:timeOut', input)).member);
}

export async function removeMember(input: Input<'member:remove'>) {
  await send('member:remove', input);
  noteGone(input);
}

export async function ban(input: Input<'ban:create'>) {
  await send('ban:create', input);
  noteGone(input);
}

export function noteGone({ serverId, userId }: Input<'member:remove'>) {
  if (largeMembers.has(serverId)) largeMembers.note(serverId, userId, null);
}
