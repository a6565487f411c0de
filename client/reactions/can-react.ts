import { members } from '../members/members.svelte.ts';

/** True before the role is known. */
export const canReact = (serverId: string | undefined): boolean =>
  serverId === undefined ||
  members.myRole(serverId) === undefined ||
  members.canI(serverId, 'react');
