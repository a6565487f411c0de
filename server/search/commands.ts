import type { searchCommands } from '../../shared/search.ts';
import type { Handlers } from '../caller.ts';
import { searchMessages } from './search.ts';

export const searchHandlers: Handlers<keyof typeof searchCommands> = {
  'message:search': (caller, input) => searchMessages(caller, input),
};
