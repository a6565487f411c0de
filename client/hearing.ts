/** What the server says unasked, and looking again for what was lost without a trace. */
import { people } from './people/people.svelte.ts';
import { presence } from './presence/presence.svelte.ts';
import { isOpen, socket } from './socket.ts';
import { happened, heal, healAll, letGo, versionOf } from './sync.ts';

const lookEvery = 25_000;
const lookSpread = 10_000;

export function hear(): void {
  socket.on('changes', happened);
  socket.on('head', ({ room, version }) => {
    if (version === null) letGo(room);
    else if (version > (versionOf(room) ?? Infinity)) void heal(room);
  });
  socket.on('presence', ({ room, users, full }) => {
    presence.hear(room, users, full ? 'whole' : 'news');
  });
  socket.on('people', (news) => {
    people.hear(news.people);
  });
  document.addEventListener('visibilitychange', look);
  lookAgain();
}

/** As long as somebody is looking: every 25 s or so, not all at once. */
function lookAgain(): void {
  const wait = lookEvery + (Math.random() - 0.5) * lookSpread;
  setTimeout(() => {
    look();
    lookAgain();
  }, wait);
}

function look(): void {
  if (!document.hidden && isOpen()) healAll();
}
