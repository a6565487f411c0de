import type { friendCommands } from '../../shared/friends.ts';
import type { Handlers } from '../caller.ts';
import { deleteFriendship, listFriendships, updateFriendship } from './friends.ts';
import {
  acceptFrom,
  askToBeFriends,
  deleteRequest,
  listRequests,
  updateRequest,
} from './requests.ts';

export const friendHandlers: Handlers<keyof typeof friendCommands> = {
  'friendRequest:create': (caller, input) => askToBeFriends(caller, input),
  'friendRequest:list': (caller, input) => listRequests(caller, input),
  'friendRequest:update': (caller, input) => updateRequest(caller, input),
  'friendRequest:delete': async (caller, input) => (await deleteRequest(caller, input), {}),
  'friendship:list': (caller, input) => listFriendships(caller, input),
  'friendship:create': async (caller, input) => ({ friendship: await acceptFrom(caller, input) }),
  'friendship:update': async (caller, input) => ({
    friendship: await updateFriendship(caller, input),
  }),
  'friendship:delete': async (caller, input) => (await deleteFriendship(caller, input), {}),
};
