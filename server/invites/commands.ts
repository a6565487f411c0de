import type { inviteCommands } from '../../shared/invites.ts';
import type { joinRequestCommands } from '../../shared/join-requests.ts';
import type { Handlers } from '../caller.ts';
import { previewInvite } from './access.ts';
import { askToJoin } from './invites.ts';
import { createInvite, deleteInvite, listInvites } from './managing.ts';
import { pauseInvites } from './pauses.ts';
import {
  acceptRequest,
  cancelRequest,
  declineRequests,
  listOwnRequests,
  listRequests,
} from './requests.ts';

export const inviteHandlers: Handlers<keyof typeof inviteCommands> = {
  'invite:create': async (caller, input) => ({ invite: await createInvite(caller, input) }),
  'invite:list': listInvites,
  'invite:get': async (caller, { code }) => ({
    invite: await previewInvite(caller, code, caller.user),
  }),
  'invite:delete': (caller, input) => deleteInvite(caller, input),
  'invite:pause': pauseInvites,
};

export const joinRequestHandlers: Handlers<keyof typeof joinRequestCommands> = {
  'joinRequest:create': async (caller, { code }) => (await askToJoin(caller, code), {}),
  'joinRequest:mine': listOwnRequests,
  'joinRequest:cancel': async (caller, input) => (await cancelRequest(caller, input), {}),
  'joinRequest:list': listRequests,
  'joinRequest:accept': async (caller, input) => (await acceptRequest(caller, input), {}),
  'joinRequest:decline': async (caller, input) => (await declineRequests(caller, input), {}),
};
