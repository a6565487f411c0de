/** The count of items outside of servers: unread messages, message requests and friend requests. */
import { conversations } from '../conversations/conversations.svelte.ts';
import { friendRequests, requestWords } from '../friends/friends.svelte.ts';

export interface InboxCount {
  count: number;
  /** The name of the place with its count, as text. */
  spoken: string;
}

export function waitingIn(name: string): InboxCount {
  const { unread, requests } = conversations;
  const asking = friendRequests.received.length;
  const parts = [
    ...(unread ? [`${unread} unread`] : []),
    ...(requests.length ? [requestWords(requests.length, 'message')] : []),
    ...(asking ? [requestWords(asking, 'friend')] : []),
  ];
  return { count: unread + requests.length + asking, spoken: [name, ...parts].join(', ') };
}
