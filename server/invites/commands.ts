import type { inviteCommands } from '../../shared/invites.ts';
import type { Handlers } from '../command.ts';
import { previewInvite } from './invites.ts';
import { createInvite, deleteInvite, listInvites } from './managing.ts';

export const inviteHandlers: Handlers<keyof typeof inviteCommands> = {
  'invite:create': async (caller, input) => ({ invite: await createInvite(caller, input) }),
  'invite:list': listInvites,
  'invite:get': async ({ app, user }, { code }) => ({
    invite: await previewInvite(app, code, user),
  }),
  'invite:delete': (caller, input) => deleteInvite(caller, input),
};
