/** Push messages to this device, delivered by the browser’s push service while no page of Parley is open. */
import { account } from '../accounts/account.svelte.ts';
import { device } from '../notifications/device.svelte.ts';
import { registerWorker } from '../notifications/worker.ts';
import { send } from '../session/socket.ts';

export const isPossible = (): boolean => 'PushManager' in globalThis;

let last: Promise<unknown> = Promise.resolve();

/** Runs work one after the other, so that turning off also ends work in progress. */
function oneAtATime(work: () => Promise<void>): Promise<void> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

/** @throws ChatError, NoResponse, or what the browser throws if it cannot have push messages */
export const turnOn = () => oneAtATime(subscribe);

/** @throws ChatError, or NoResponse */
export const turnOff = () =>
  oneAtATime(async () => {
    await send('push:unsubscribe', {});
    await forget();
  });

/** Ends push on this device without telling the server: the push service tells it. */
export const end = () => oneAtATime(forget);

/**
 * As on this device as it was: with the address that the browser has now and the key that the server has now, and for
 * the session of now. It ends where another device turned it off, or somebody else has signed in.
 * @throws like `turnOn`
 */
export const renew = () => oneAtATime(subscribeAgain);

async function subscribe(): Promise<void> {
  const { key } = await send('push:key', {});
  await (await subscription())?.unsubscribe();
  const { pushManager } = await registerWorker();
  await tell(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
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
  // A subscription that the server has deleted is replaced.
  const isKept = held && sessionIds.includes(current) && (await isForServer(held));
  return isKept ? tell(held) : subscribe();
}

async function subscription(): Promise<PushSubscription | null> {
  const { pushManager } = await registerWorker();
  return pushManager.getSubscription();
}

async function tell(made: PushSubscription): Promise<void> {
  const { endpoint = '', keys } = made.toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  await send('push:subscribe', { endpoint, p256dh, auth, hidesText: device.chosen.hidesText });
  device.choose({ pushedTo: account.id });
}

async function isForServer({ options }: PushSubscription): Promise<boolean> {
  const { key } = await send('push:key', {});
  return encoded(options.applicationServerKey ?? new ArrayBuffer()) === key;
}

/** In base64url, the encoding of keys. */
const encoded = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
