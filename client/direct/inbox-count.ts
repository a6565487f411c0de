/** What waits for me that is no server’s: unread messages, and people who ask to be friends. */
import { conversations } from '../conversations/conversations.svelte.ts';
import { friendRequests, requestWords } from '../friends/friends.svelte.ts';

export interface Waiting {
  count: number;
  /** What the place is called, and what waits there. */
  spoken: string;
}

export function waitingIn(name: string): Waiting {
  const { unread } = conversations;
  const asking = friendRequests.received.length;
  const parts = [
    ...(unread ? [`${unread} unread`] : []),
    ...(asking ? [requestWords(asking)] : []),
  ];
  return { count: unread + asking, spoken: [name, ...parts].join(', ') };
}
