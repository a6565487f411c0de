/** Who may call many at once. */
import { permissionsAmong } from '../../shared/permissions.ts';
import { account } from '../accounts/account.svelte.ts';
import { members } from '../members/members.svelte.ts';

export const mayCallIn = (serverId: string | undefined): boolean =>
  serverId === undefined
    ? !!account.you && permissionsAmong(account.you, { isBlocked: false }).has('call everyone')
    : members.mayI(serverId, 'call everyone');
