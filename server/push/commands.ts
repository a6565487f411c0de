import type { pushCommands } from '../../shared/push.ts';
import type { Handlers } from '../caller.ts';
import { vapidKeys } from './keys.ts';
import { listSubscribed, addSubscription, removeSubscription } from './subscriptions.ts';

export const pushHandlers: Handlers<keyof typeof pushCommands> = {
  'push:key': async ({ db }) => ({ key: (await vapidKeys(db)).publicKey }),
  'push:subscribe': async (caller, input) => {
    await addSubscription(caller, input);
    return { sessionId: caller.sessionId };
  },
  'push:unsubscribe': async (caller, { sessionId }) => {
    await removeSubscription(caller, sessionId);
    return {};
  },
  'push:list': (caller) => listSubscribed(caller),
};
