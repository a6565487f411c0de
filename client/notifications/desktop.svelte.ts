/** Shows notifications on this device. Loaded only where they are on. */
import { ChatError } from '../../shared/failure.ts';
import { mentionedIn } from '../../shared/mentions.ts';
import type { Message } from '../../shared/messages.ts';
import { decideNotification, canNotify, type Recipient } from '../../shared/notification-rules.ts';
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { asRecord } from '../device/storage.ts';
import { navigation } from '../navigation/navigation.svelte.ts';
import { placeAt } from '../navigation/routes.ts';
import { people } from '../people/people.svelte.ts';
import { ownStatus } from '../presence/own-status.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { send } from '../session/socket.ts';
import { attention } from '../ui/attention.svelte.ts';
import { device } from './device.svelte.ts';
import { isLookedAt, lead, leads, lookAt } from './leader.ts';
import { serverOf } from './muting.ts';
import { notificationSettings } from './settings.svelte.ts';
import { playSound } from './sound.ts';
import { Teller } from './teller.ts';
import { registerWorker } from './worker.ts';
import { pathOf, textOf, titleOf } from './words.ts';

let isWatching = false;

/** Shows notifications from now on, as long as they are on. */
export function watch(): void {
  if (isWatching || !device.isOn) return;
  isWatching = true;
  lead();
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const { open } = asRecord(data);
    if (typeof open === 'string') navigation.go(placeAt(open));
  });
  const teller = new Teller({
    list,
    badge: (id) => reads.of(id),
    canNotify: (timelineId, isMentioned) =>
      canNotify(me(), targetOf(timelineId), { isMentioned }, notificationSettings.now),
    notifies,
    isTelling: async (timelineId) => device.isOn && leads() && !(await isLookedAt(timelineId)),
    show: (message) => void show(message),
    closeRead: (isRead) => void close(isRead),
    after: (ms, callback) => void setTimeout(callback, ms),
  });
  $effect.root(() => {
    $effect(() => {
      // While nobody is signed in, no badges are known: what is unread at the next sign-in is not new.
      if (account.you) teller.look(reads.all);
      else {
        teller.forget();
        void close(() => true);
      }
    });
    $effect(() => {
      const here = attention.here ? lookedAt() : undefined;
      return here === undefined ? undefined : lookAt(here);
    });
  });
}

function lookedAt(): string | undefined {
  const { place } = navigation;
  if (place.page === 'server') return place.channelId;
  return place.page === 'direct' ? place.conversationId : undefined;
}

const me = (): Recipient => ({
  userId: account.id,
  settings: notificationSettings.all,
  status: ownStatus.chosen,
});

const targetOf = (timelineId: string) => ({
  timelineId,
  serverId: conversations.get(timelineId) ? undefined : serverOf(timelineId),
});

/** In the largest servers badges of mentions arrive late, so the message's text is checked as well. */
function notifies(message: Message, isCalled: boolean): boolean {
  const isMentioned = isCalled || mentionedIn(message.body).includes(account.id);
  const isUnwanted =
    blocks.has(message.authorId) || conversations.get(message.timelineId)?.request === true;
  const place = { ...message, ...targetOf(message.timelineId) };
  const decision = decideNotification(
    me(),
    place,
    { isMentioned, isUnwanted },
    notificationSettings.now,
  );
  return decision === 'notification';
}

async function list(timelineId: string, after: number, limit: number) {
  try {
    const found = await send('message:list', { timelineId, after, limit });
    people.receive(found.people);
    return found.messages;
  } catch (error) {
    // Undefined if the user has lost access; other errors are retried.
    if (error instanceof ChatError && !error.detail.retryable) return undefined;
    throw error;
  }
}

async function show(message: Message): Promise<void> {
  const { id: tag, timelineId, position } = message;
  const registration = await registerWorker();
  const { serverId } = targetOf(timelineId);
  await registration.showNotification(titleOf(message, serverId), {
    tag,
    body: device.chosen.hidesText ? 'New message' : textOf(message, serverId),
    icon: '/icon.svg',
    // The page plays its own sound, if one is chosen.
    silent: true,
    data: { timelineId, position, path: pathOf(message, serverId) },
  });
  if (device.chosen.sound) playSound();
}

async function close(isRead: Parameters<ConstructorParameters<typeof Teller>[0]['closeRead']>[0]) {
  const registration = await registerWorker();
  for (const notification of await registration.getNotifications()) {
    const { timelineId, position } = asRecord(notification.data);
    if (typeof timelineId !== 'string' || typeof position !== 'number') continue;
    if (isRead({ timelineId, position })) notification.close();
  }
}
