import { z } from 'zod';
import {
  command,
  Id,
  Ids,
  More,
  Name,
  NewId,
  Nothing,
  pageAfter,
  PersonId,
  Position,
  Time,
  Version,
} from './contract.ts';
import { entryOf } from './entry.ts';
import { limits } from './limits.ts';
import { People } from './people.ts';

export const ConversationName = Name(limits.conversationName);

/** People who write to each other outside of servers. Each participant has it in their user room. */
export const Conversation = z.strictObject({
  /** Also the id of its timeline. */
  id: Id,
  /** Two people have at most one `pair`, which never grows. A `group` stays a group, however few people are left. */
  kind: z.enum(['pair', 'group']),
  /** Only a group can have one. */
  name: z.string().nullable(),
  /** This person can have left since: see `groupManagerOf` in shared/permissions.ts. */
  creatorId: PersonId,
  /** All participants, the user included. The person who has been in it longest comes first. */
  participantIds: z.array(PersonId),
  /**
   * Hidden from the user’s list until a message after this position; null: listed. A pair that another person started
   * begins hidden, at 0, because an empty conversation must not bother anyone.
   */
  hiddenUntil: Position.nullable(),
  /**
   * A stranger started the conversation or added the user, who has not answered. It does not count, and clients can
   * show it apart. A message or `conversation:accept` answers it; `conversation:delete` ignores it.
   */
  request: z.literal(true).optional(),
  requestedBy: PersonId.optional(),
  /** People who received a request from the user and have not answered, including people who ignore it. */
  unanswered: z.array(PersonId).optional(),
  createdAt: Time,
  version: Version,
});
export type Conversation = z.infer<typeof Conversation>;

const Which = z.strictObject({ conversationId: Id });
const One = z.strictObject({ conversation: Conversation, people: People });
const InvitedIds = Ids(limits.groupPeople, 1);

export const conversationCommands = {
  'conversation:create': command({
    summary:
      'Starts a conversation with friends, or with people from a shared server. For strangers it’s a request until they answer: for guests, and for members of servers with `messageRequests`, who aren’t your friends. With one other person, returns the existing conversation, if there is one, and puts it back in your list. Guests can’t start groups with registered people.',
    input: z.strictObject({
      userIds: InvitedIds,
      name: ConversationName.optional(),
      id: NewId.optional(),
    }),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'create',
    http: 'POST /api/conversations',
    who: 'people',
  }),
  'conversation:list': command({
    summary: 'Lists your conversations by id, including closed ones, a page at a time.',
    input: z.strictObject(pageAfter),
    output: z.strictObject({ conversations: z.array(Conversation), people: People, more: More }),
    errors: [],
    rate: 'read',
    http: 'GET /api/conversations',
  }),
  'conversation:open': command({
    summary:
      'Enters a conversation’s timeline: returns its newest messages, or the changes since `since`. Later changes follow as events. Over HTTP it only reads.',
    input: Which.extend({ since: Version.optional() }),
    output: entryOf<'timeline'>(),
    errors: ['not_found'],
    rate: 'read',
    http: 'GET /api/conversations/[conversationId]',
  }),
  'conversation:accept': command({
    summary: 'Accepts a request, which makes it a conversation like any other.',
    input: Which,
    output: One,
    errors: ['not_found', 'conflict'],
    rate: 'write',
  }),
  'conversation:close': command({
    summary: 'Leaves a conversation’s timeline on this socket.',
    input: Which,
    output: Nothing,
    errors: ['not_found'],
    rate: 'read',
  }),
  'conversation:update': command({
    summary:
      'Names a group, adds people to it or removes them. New people see the whole history; for strangers, and for people who left before, it’s a request. Guests can’t add registered people. Only its creator can remove people; once the creator has left, the person who’s been in it longest can.',
    input: Which.extend({
      /** Null removes the name. */
      name: ConversationName.nullable().optional(),
      addUserIds: InvitedIds.optional(),
      removeUserIds: InvitedIds.optional(),
    }),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
    http: 'PATCH /api/conversations/[conversationId]',
    who: 'people',
  }),
  'conversation:delete': command({
    summary:
      'Closes a conversation until it has a newer message. For a group, leaves it. For a request, ignores it: it doesn’t come back by itself, and no one is notified.',
    input: Which,
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    http: 'DELETE /api/conversations/[conversationId]',
  }),
};
