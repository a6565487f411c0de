/** What the server says unasked, and looking again for what was lost without a trace. */
import { hearAll } from './ephemeral.ts';
import { people } from '../people/people.svelte.ts';
import { watchUse } from '../presence/activity.ts';
import { own } from '../presence/own-status.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import { listen } from './change-listeners.ts';
import { isOpen, socket } from './socket.ts';
import { reads } from '../reads/reads.svelte.ts';
import { happened, healAll, heldOf, told } from '../sync/sync-client.ts';
import { hearTyping } from '../typing/typing.svelte.ts';

const lookEvery = 25_000;
const lookSpread = 10_000;

export function hear(): void {
  socket.on('changes', happened);
  socket.on('head', ({ room, version }) => {
    told(room, version);
  });
  socket.on('activity', ({ timelines }) => {
    for (const [id, activity] of Object.entries(timelines)) {
      if (activity === null) reads.hear({ id, ended: true });
      else reads.hear({ id, came: activity.last, at: reads.justNow, ...activity });
    }
  });
  socket.on('read', ({ timelines }) => {
    for (const [id, read] of Object.entries(timelines)) reads.hear({ id, read });
  });
  // What I am no longer in has nothing that I could read.
  listen((_room, change) => {
    if (change.type === 'server:left' || change.type === 'server:removed')
      reads.leave(change.serverId);
    else if (change.type === 'server:deleted') reads.leave(change.serverId);
    else if (
      change.type === 'privateChannel:left' ||
      change.type === 'privateChannel:removed' ||
      change.type === 'privateChannel:deleted'
    )
      reads.hear({ id: change.channelId, ended: true });
    else if (change.type === 'conversation:left' || change.type === 'conversation:removed')
      reads.hear({ id: change.conversationId, ended: true });
  });
  socket.on('presence', ({ room, users, full }) => {
    heldOf(room)?.see(users);
    if (full) hearAll(room, users);
    else presence.hear(room, users, 'news');
  });
  socket.on('seenAs', ({ status }) => {
    own.chosen = status;
  });
  socket.on('people', (news) => {
    people.hear(news.people);
  });
  hearTyping();
  document.addEventListener('visibilitychange', () => {
    look('and badges');
  });
  watchUse();
  lookAgain(1);
}

/** As long as somebody is looking: every 25 s or so, not all at once; every fifth time at the badges too. */
function lookAgain(time: number): void {
  const wait = lookEvery + (Math.random() - 0.5) * lookSpread;
  setTimeout(() => {
    look(time % 5 === 0 ? 'and badges' : undefined);
    lookAgain(time + 1);
  }, wait);
}

function look(what?: 'and badges'): void {
  if (!document.hidden && isOpen()) healAll(what);
}
