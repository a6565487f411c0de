import type { botCommands } from '../../shared/bots.ts';
import type { Handlers } from '../command.ts';
import { addBot, createBot, deleteBot, listBots, renameBot, rotateToken } from './bots.ts';

export const botHandlers: Handlers<keyof typeof botCommands> = {
  'bot:create': (caller, input) => createBot(caller, input),
  'bot:list': async (caller) => ({ bots: await listBots(caller) }),
  'bot:update': async (caller, input) => ({ bot: await renameBot(caller, input) }),
  'bot:rotate': (caller, input) => rotateToken(caller, input),
  'bot:delete': (caller, input) => deleteBot(caller, input),
  'bot:add': (caller, input) => addBot(caller, input),
};
