import type { conversationCommands } from '../../shared/conversations.ts';
import type { Handlers } from '../caller.ts';
import {
  closeConversation,
  createConversation,
  listConversations,
  openConversation,
  deleteConversation,
} from './conversations.ts';
import { updateConversation } from './managing.ts';
import { acceptConversation } from './requests.ts';

export const conversationHandlers: Handlers<keyof typeof conversationCommands> = {
  'conversation:create': (caller, input) => createConversation(caller, input),
  'conversation:list': (caller, input) => listConversations(caller, input),
  'conversation:open': (caller, input) => openConversation(caller, input),
  'conversation:accept': (caller, input) => acceptConversation(caller, input),
  'conversation:close': (caller, input) => closeConversation(caller, input),
  'conversation:update': (caller, input) => updateConversation(caller, input),
  'conversation:delete': (caller, input) => deleteConversation(caller, input),
};
