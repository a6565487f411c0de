import { z } from 'zod';
import { Username } from './accounts.ts';
import {
  command,
  Id,
  More,
  NewId,
  Nothing,
  pageAfter,
  PersonId,
  Text,
  Time,
  Version,
  withOne,
} from './contract.ts';
import { limits } from './limits.ts';
import { DisplayName, People } from './people.ts';
import { PresenceMap } from './presence.ts';

export const RequestNote = Text(limits.friendRequestNote);

/** A friend request. It is in the user rooms of both until it is answered or canceled. */
export const FriendRequest = z.strictObject({
  /** The resulting friendship keeps this id. */
  id: Id,
  senderId: PersonId,
  recipientId: PersonId,
  note: z.string(),
  createdAt: Time,
  version: Version,
});
export type FriendRequest = z.infer<typeof FriendRequest>;

/** The user’s side of a friendship. The friend’s side has the same id, with its own nickname and star. */
export const Friendship = z.strictObject({
  id: Id,
  userId: PersonId,
  nickname: z.string().nullable(),
  favourite: z.boolean(),
  createdAt: Time,
  version: Version,
});
export type Friendship = z.infer<typeof Friendship>;

const OneFriendship = z.strictObject({ friendship: Friendship });
const OneRequest = z.strictObject({ friendRequest: FriendRequest });
const WhichRequest = z.strictObject({ requestId: Id });
const WhichFriendship = z.strictObject({ friendshipId: Id });

export const friendCommands = {
  'friendRequest:create': command({
    summary:
      'Sends a friend request. If they’ve already sent you one, accepts it and returns the friendship. Not for guests.',
    input: withOne(
      z.strictObject({
        userId: Id.optional(),
        username: Username.optional(),
        note: RequestNote.optional(),
        id: NewId.optional(),
      }),
      ['userId', 'username'],
    ),
    output: z.union([OneRequest, OneFriendship]),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'ask',
    http: 'POST /api/friend-requests',
    who: 'people',
  }),
  'friendRequest:list': command({
    summary: 'Lists the requests you’ve sent and received, by id, a page at a time.',
    input: z.strictObject(pageAfter),
    output: z.strictObject({ friendRequests: z.array(FriendRequest), people: People, more: More }),
    errors: [],
    rate: 'read',
    http: 'GET /api/friend-requests',
    who: 'people',
  }),
  'friendRequest:update': command({
    summary:
      'Accepts or declines a request you received, or edits the note of one you sent. The sender isn’t notified of a decline.',
    input: withOne(
      WhichRequest.extend({
        status: z.enum(['accepted', 'declined']).optional(),
        note: RequestNote.optional(),
      }),
      ['status', 'note'],
    ),
    /** The friendship, the request with its new note, or nothing after a decline. */
    output: z.union([OneFriendship, OneRequest, Nothing]),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
    http: 'PATCH /api/friend-requests/[requestId]',
    who: 'people',
  }),
  'friendRequest:delete': command({
    summary: 'Cancels a request you sent.',
    input: WhichRequest,
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
    http: 'DELETE /api/friend-requests/[requestId]',
    who: 'people',
  }),
  'friendship:list': command({
    summary:
      'Lists your friends, with their online status, by the ids of the friendships, a page at a time.',
    input: z.strictObject(pageAfter),
    output: z.strictObject({
      friendships: z.array(Friendship),
      people: People,
      presence: PresenceMap,
      more: More,
    }),
    errors: [],
    rate: 'read',
    http: 'GET /api/friendships',
    who: 'people',
  }),
  'friendship:create': command({
    summary: 'Accepts the request from this person.',
    input: z.strictObject({ userId: Id }),
    output: OneFriendship,
    errors: ['not_found', 'conflict'],
    rate: 'write',
    http: 'POST /api/friendships',
    who: 'people',
  }),
  'friendship:update': command({
    summary: 'Sets a nickname or a star for a friend, which only you can see.',
    input: WhichFriendship.extend({
      nickname: DisplayName.nullable().optional(),
      favourite: z.boolean().optional(),
    }),
    output: OneFriendship,
    errors: ['not_found'],
    rate: 'write',
    http: 'PATCH /api/friendships/[friendshipId]',
    who: 'people',
  }),
  'friendship:delete': command({
    summary: 'Ends a friendship for both.',
    input: WhichFriendship,
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    http: 'DELETE /api/friendships/[friendshipId]',
    who: 'people',
  }),
};
