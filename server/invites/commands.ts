import type { inviteCommands } from '../../shared/invites.ts';
import type { Handlers } from '../caller.ts';
import { previewInvite } from './invites.ts';
import { createInvite, deleteInvite, listInvites } from './managing.ts';
import { pauseInvites } from './pauses.ts';

export const inviteHandlers: Handlers<keyof typeof inviteCommands> = {
  'invite:create': async (caller, input) => ({ invite: await createInvite(caller, input) }),
  'invite:list': listInvites,
  'invite:get': async (caller, { code }) => ({
    invite: await previewInvite(caller, code, caller.user),
  }),
  'invite:delete': (caller, input) => deleteInvite(caller, input),
  'invite:pause': pauseInvites,
};
