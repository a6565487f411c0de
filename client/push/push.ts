/** Push messages to this device, delivered by the browser's push service while no page is open. */
import { account } from '../accounts/account.svelte.ts';
import { device } from '../notifications/device.svelte.ts';
import { registerWorker } from '../device/worker.ts';
import { send } from '../session/socket.ts';

export const isPossible = (): boolean => 'PushManager' in globalThis;

let last: Promise<unknown> = Promise.resolve();

/** Runs work one at a time, so that turning off also ends work in progress. */
function oneAtATime(work: () => Promise<void>): Promise<void> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

/** @throws ChatError, NoResponse, or the browser's error if it does not support push messages */
export const turnOn = () => oneAtATime(subscribe);

/** @throws ChatError, or NoResponse */
export const turnOff = () =>
  oneAtATime(async () => {
    await send('push:unsubscribe', {});
    await forget();
  });

/** Ends push on this device without a request to the server, which learns it from the push service. */
export const end = () => oneAtATime(forget);

/**
 * Renews push with the browser's current address, the server's current key and the current session. Ends it if another
 * device turned it off, or if another user has signed in.
 * @throws like `turnOn`
 */
export const renew = () => oneAtATime(subscribeAgain);

async function subscribe(): Promise<void> {
  const { key } = await send('push:key', {});
  await (await subscription())?.unsubscribe();
  const { pushManager } = await registerWorker();
  await sendSubscription(
    await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }),
  );
}

async function forget(): Promise<void> {
  if (device.chosen.pushedTo === undefined) return;
  device.choose({ pushedTo: undefined });
  await (await subscription())?.unsubscribe();
}

async function subscribeAgain(): Promise<void> {
  const { pushedTo } = device.chosen;
  if (pushedTo === undefined) return;
  const { sessionIds, current, isTurnedOff } = await send('push:list', {});
  if (isTurnedOff || pushedTo !== account.id) return forget();
  const held = await subscription();
  // Replaces a subscription that the server has deleted.
  const isKept = held && sessionIds.includes(current) && (await isForServer(held));
  return isKept ? sendSubscription(held) : subscribe();
}

async function subscription(): Promise<PushSubscription | null> {
  const { pushManager } = await registerWorker();
  return pushManager.getSubscription();
}

async function sendSubscription(made: PushSubscription): Promise<void> {
  const { endpoint = '', keys } = made.toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  await send('push:subscribe', { endpoint, p256dh, auth, hidesText: device.chosen.hidesText });
  device.choose({ pushedTo: account.id });
}

async function isForServer({ options }: PushSubscription): Promise<boolean> {
  const { key } = await send('push:key', {});
  return encoded(options.applicationServerKey ?? new ArrayBuffer()) === key;
}

/** Base64url, the encoding of keys. */
const encoded = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
