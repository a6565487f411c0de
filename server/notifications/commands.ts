import type { notificationCommands } from '../../shared/notifications.ts';
import type { Handlers } from '../caller.ts';
import { setNotifications } from './notifications.ts';

export const notificationHandlers: Handlers<keyof typeof notificationCommands> = {
  'notification:set': async (caller, input) => ({ setting: await setNotifications(caller, input) }),
};
