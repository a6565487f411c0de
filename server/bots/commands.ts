import type { botCommands } from '../../shared/bots.ts';
import type { Handlers } from '../caller.ts';
import { addBot, registerBot, deleteBot, listBots, rotateToken, updateBot } from './bots.ts';

export const botHandlers: Handlers<keyof typeof botCommands> = {
  'bot:create': (caller, input) => registerBot(caller, input),
  'bot:list': async (caller) => ({ bots: await listBots(caller) }),
  'bot:update': async (caller, input) => ({ bot: await updateBot(caller, input) }),
  'bot:rotate': (caller, input) => rotateToken(caller, input),
  'bot:delete': (caller, input) => deleteBot(caller, input),
  'bot:add': (caller, input) => addBot(caller, input),
};
