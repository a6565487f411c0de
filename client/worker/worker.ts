/** The service worker: it opens the app without waiting for the network, and shows push messages. */
import { scope } from './scope.ts';
import { shareFrom } from './sharing.ts';
import { activate, fileOf, install, pageFor } from './shell.ts';
import { open, receive } from './notifications.ts';
import { sendReply } from './replying.ts';

scope.addEventListener('install', (event) => {
  event.waitUntil(install());
});
scope.addEventListener('activate', (event) => {
  event.waitUntil(activate());
});
scope.addEventListener('fetch', (event) => {
  const answer = shareFrom(event.request) ?? pageFor(event.request) ?? fileOf(event.request);
  if (answer) event.respondWith(answer);
});
scope.addEventListener('push', (event) => {
  event.waitUntil(receive(event.data));
});
scope.addEventListener('notificationclick', (event) => {
  const { notification, reply } = event as NotificationEvent & { reply?: string | null };
  event.waitUntil(reply?.trim() ? sendReply(notification, reply) : open(notification));
});
