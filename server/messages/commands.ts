import type { messageCommands } from '../../shared/messages.ts';
import type { Handlers } from '../caller.ts';
import { deleteMessage, editMessage, listMessages, sendMessage } from './messages.ts';

export const messageHandlers: Handlers<keyof typeof messageCommands> = {
  'message:send': async (caller, input) => ({ message: await sendMessage(caller, input) }),
  'message:edit': async (caller, input) => ({ message: await editMessage(caller, input) }),
  'message:delete': async (caller, input) => ({ message: await deleteMessage(caller, input) }),
  'message:list': (caller, input) => listMessages(caller, input),
};
