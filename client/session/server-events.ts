import { replacePresence } from './ephemeral.ts';
import { people } from '../people/people.svelte.ts';
import { watchUse } from '../presence/activity.ts';
import { ownStatus } from '../presence/own-status.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import { onChange } from './change-listeners.ts';
import { sync } from './room-store.ts';
import { expectPacket, on } from './socket.ts';
import { reads } from '../reads/reads.svelte.ts';

/** Time for the server to answer after the page becomes visible again, in milliseconds. */
const answerMs = 2_000;

export function listenToServer(): void {
  on('activity', ({ timelines }) => {
    for (const [id, activity] of Object.entries(timelines)) {
      if (activity === null) reads.receive({ id, ended: true });
      else {
        const { since, last } = activity;
        // A deletion or an edit does not change the order of conversations.
        reads.receive({ id, came: last, ...(last > since && { at: reads.justNow }), ...activity });
      }
    }
  });
  on('read', ({ timelines, marks = {} }) => {
    for (const [id, read] of Object.entries(timelines)) reads.receive({ id, read });
    for (const [id, mark] of Object.entries(marks)) reads.receive({ id, mark });
  });
  onChange((_room, change) => {
    if (change.type === 'server:left' || change.type === 'server:removed')
      reads.leave(change.serverId);
    else if (change.type === 'server:deleted') reads.leave(change.serverId);
    else if (change.type === 'message:deleted')
      reads.receive({ id: change.message.timelineId, deleted: [change.message.position] });
    else if (
      change.type === 'privateChannel:left' ||
      change.type === 'privateChannel:removed' ||
      change.type === 'privateChannel:deleted'
    )
      reads.receive({ id: change.channelId, ended: true });
    else if (change.type === 'conversation:left' || change.type === 'conversation:removed')
      reads.receive({ id: change.conversationId, ended: true });
  });
  on('presence', ({ room, users, full }) => {
    if (full) replacePresence(room, users);
    else presence.receive(room, users, 'news');
  });
  on('seenAs', ({ status }) => {
    ownStatus.chosen = status;
  });
  on('people', (news) => {
    people.receive(news.people);
  });
  document.addEventListener('visibilitychange', () => {
    if (!isVisible()) return;
    sync.syncAll(true);
    expectPacket(answerMs);
  });
  watchUse();
  sync.start(isVisible);
}

const isVisible = () => !document.hidden;
