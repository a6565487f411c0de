import { permissionsAmong, type ChannelRules } from '../../shared/permissions.ts';
import { account } from '../accounts/account.svelte.ts';
import { members } from '../members/members.svelte.ts';

export const canCallIn = (serverId: string | undefined, channel?: ChannelRules): boolean =>
  serverId === undefined
    ? !!account.you && permissionsAmong(account.you, { isBlocked: false }).has('call everyone')
    : members.canI(serverId, 'call everyone', channel);
