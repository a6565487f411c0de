import { named, query, type Db } from '../database/database.ts';
import type { Account } from '../../shared/accounts.ts';
import type { DuePlace } from './claim-store.ts';
import type { Subscription } from './subscription-store.ts';

/** A message for the notification on one device, in the current state. */
export interface Due extends Pick<Subscription, 'endpoint' | 'p256dh' | 'auth' | 'hidesText'> {
  user: Pick<Account, 'id' | 'kind'>;
  messageId: string;
  timelineId: string;
  serverId: string | null;
  position: number;
  /** The recipient's read position in the timeline. */
  read: number;
  body: string;
  fileNames: string[];
  authorId: string;
  /** The author’s name as the recipient sees it. */
  author: string;
  channel: string | null;
  server: string | null;
  group: string | null;
  isMentioned: boolean;
  isUnwanted: boolean;
}

/** SQL: true if a `here` call reaches the user. See reads/store.ts. */
const wasHere = `exists (
  select from sessions where sessions.user_id = users.id and here_since <= messages.created_at
    and last_seen_at > messages.created_at - interval '15 minutes')`;

const finding = named(
  `select endpoint, p256dh, auth, hides_text as "hidesText",
     json_build_object('id', users.id, 'kind', users.kind) as user,
     messages.id as "messageId", messages.timeline_id as "timelineId", channels.server_id as "serverId", messages.position,
     coalesce(reads.position, 0) as read, body,
     coalesce(
       (select json_agg(file->>'name') from jsonb_array_elements(files) as file), '[]'
     ) as "fileNames",
     author_id as "authorId",
     coalesce(friendships.nickname, members.nickname, authors.display_name) as author,
     channels.name as channel, servers.name as server, conversations.name as group,
     exists (select from mentions where mentions.user_id = users.id
       and mentions.timeline_id = messages.timeline_id and mentions.position = messages.position
     ) or coalesce(calls = 'everyone' or (calls = 'here' and ${wasHere}), false) as "isMentioned",
     requested_by is not null or exists (select from blocks
       where (blocks.user_id, blocked_id) in ((users.id, author_id), (author_id, users.id))
     ) as "isUnwanted"
   from push_subscriptions
   join users on users.id = push_subscriptions.user_id
   join messages on messages.id = any($2::uuid[])
   join users as authors on authors.id = author_id
   left join channels on channels.id = messages.timeline_id
   left join servers on servers.id = channels.server_id
   left join members on members.server_id = servers.id and members.user_id = author_id
   left join friendships on channels.server_id is null
     and friendships.user_id = users.id and friend_id = author_id
   left join conversations on conversations.id = messages.timeline_id
   left join participants on conversation_id = messages.timeline_id
     and participants.user_id = users.id
   left join reads on reads.user_id = users.id and reads.timeline_id = messages.timeline_id
   where session_id = $1 and endpoint is not null and deleted_at is null
     and messages.position > coalesce(reads.position, 0)
   order by messages.position desc`,
);

/** The newest first. Without messages that are deleted or read; none if the device is no longer subscribed. */
export const findDue = (db: Db, { sessionId, messageIds }: DuePlace): Promise<Due[]> =>
  query<Due>(db, finding, [sessionId, messageIds]);
