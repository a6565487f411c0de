/** Shows notifications on this device. Loaded only where they are on. */
import { ChatError } from '../../shared/failure.ts';
import { mentionedIn } from '../../shared/mentions.ts';
import type { Message } from '../../shared/messages.ts';
import { decideNotification, canNotify, type Recipient } from '../../shared/notification-rules.ts';
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { canPost } from '../channels/posting.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { asRecord } from '../device/storage.ts';
import { navigation } from '../navigation/navigation.svelte.ts';
import { placeAt } from '../routes/routes.ts';
import { people } from '../people/people.svelte.ts';
import { ownStatus } from '../presence/own-status.svelte.ts';
import { readIn } from '../reads/badges.ts';
import { reads } from '../reads/reads.svelte.ts';
import { send } from '../session/socket.ts';
import { attention } from '../ui/attention.svelte.ts';
import { device } from './device.svelte.ts';
import { isLookedAt, lead, leads, lookAt } from './leader.ts';
import { serverOf } from './muting.ts';
import { notificationSettings } from './settings.svelte.ts';
import { positionsOf, showOne } from './showing.ts';
import { playSound } from './sound.ts';
import { Notifier, type NotifiedMessage } from './notifier.ts';
import { registerWorker } from '../device/worker.ts';
import { pathOf, textOf, titleOf } from './words.ts';

let isWatching = false;

/** Runs one task at a time across all tabs and the service worker, because each reads the shown notifications. */
const inTurn = (work: () => Promise<void>): Promise<void> =>
  navigator.locks.request('parley.showing', work);

/** A notification that cannot be closed now is closed with the next badge. */
function closeInTurn(isRead: (notified: NotifiedMessage) => boolean): void {
  inTurn(() => close(isRead)).catch(() => undefined);
}

export function watch(): void {
  if (isWatching || !device.isOn) return;
  isWatching = true;
  lead();
  // Registers early, so that the first notification does not wait. If this fails, that notification tries again.
  registerWorker().catch(() => undefined);
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const { open } = asRecord(data);
    if (typeof open === 'string') navigation.go(placeAt(open));
  });
  const notifier = new Notifier({
    list,
    badge: (id) => reads.of(id),
    canNotify: (timelineId, isMentioned) =>
      canNotify(me(), targetOf(timelineId), { isMentioned }, notificationSettings.now),
    notifies,
    isNotifying: async (timelineId) => device.isOn && leads() && !(await isLookedAt(timelineId)),
    show: (message, notified) => inTurn(() => show(message, notified)),
    closeRead: closeInTurn,
    after: (ms, callback) => void setTimeout(callback, ms),
  });
  $effect.root(() => {
    $effect(() => {
      // While no user is signed in, no badges are known. Messages that are unread at the next sign-in are not new.
      if (account.you) notifier.look(reads.all);
      else {
        notifier.forget();
        closeInTurn(() => true);
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

async function show(message: Message, notified: readonly number[]): Promise<void> {
  const { timelineId, position } = message;
  const { serverId } = targetOf(timelineId);
  const shown = {
    ...{ timelineId, position, notified, path: pathOf(message, serverId) },
    title: titleOf(message, serverId),
    body: device.chosen.hidesText ? 'New message' : textOf(message, serverId),
    // The page plays its own sound, if one is chosen.
    silent: true,
    replyAs: canPost(serverId, timelineId) ? account.id : undefined,
  };
  const isOther = (position: number) => isRead({ timelineId, position });
  const isNew = await showOne(await registerWorker(), shown, isOther);
  if (isNew && device.chosen.sound) playSound();
}

async function close(isRead: (notified: NotifiedMessage) => boolean) {
  const registration = await navigator.serviceWorker.getRegistration();
  for (const notification of (await registration?.getNotifications()) ?? []) {
    const { timelineId } = asRecord(notification.data);
    if (typeof timelineId !== 'string') continue;
    if (positionsOf(notification).every((position) => isRead({ timelineId, position })))
      notification.close();
  }
}

function isRead({ timelineId, position }: NotifiedMessage): boolean {
  const badge = reads.of(timelineId);
  if (badge === undefined || position <= readIn(badge)) return true;
  return badge.deleted?.includes(position) ?? false;
}
