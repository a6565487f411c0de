/** What waits for me that is no server’s: unread messages, strangers who write, and people who ask to be friends. */
import { conversations } from '../conversations/conversations.svelte.ts';
import { friendRequests, requestWords } from '../friends/friends.svelte.ts';

export interface Waiting {
  count: number;
  /** What the place is called, and what waits there. */
  spoken: string;
}

export function waitingIn(name: string): Waiting {
  const { unread, requests } = conversations;
  const asking = friendRequests.received.length;
  const parts = [
    ...(unread ? [`${unread} unread`] : []),
    ...(requests.length ? [requestWords(requests.length, 'message')] : []),
    ...(asking ? [requestWords(asking, 'friend')] : []),
  ];
  return { count: unread + requests.length + asking, spoken: [name, ...parts].join(', ') };
}
