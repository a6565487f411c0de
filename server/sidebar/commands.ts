import type { sidebarCommands } from '../../shared/sidebar.ts';
import type { Handlers } from '../caller.ts';
import { placeInSidebar, removeFromSidebar } from './sidebar.ts';

export const sidebarHandlers: Handlers<keyof typeof sidebarCommands> = {
  'sidebar:place': async (caller, input) => ({ sidebarList: await placeInSidebar(caller, input) }),
  'sidebar:remove': async (caller, input) => ({
    sidebarList: await removeFromSidebar(caller, input),
  }),
};
