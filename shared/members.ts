import { z } from 'zod';
import {
  command,
  Id,
  Ids,
  Line,
  More,
  Nothing,
  pageAfter,
  PageSize,
  PersonId,
  Text,
  Time,
  Version,
} from './contract.ts';
import { limits } from './limits.ts';
import { quotas } from './quotas.ts';
import { DisplayName, People } from './people.ts';
import { PresenceMap } from './presence.ts';

export const Role = z.enum(['owner', 'moderator', 'member']);

export const Member = z.strictObject({
  userId: PersonId,
  role: Role,
  /** Their name in this server only. */
  nickname: z.string().nullable(),
  skeleton: z.string().optional(),
  joinedAt: Time,
  /** The roles of the server that they have, at least one. */
  roleIds: z.array(Id).optional(),
  /** Timed out until then: they can read, and do nothing else. Can be past for about a minute. */
  timeoutUntil: Time.optional(),
  version: Version,
});
export type Member = z.infer<typeof Member>;

export const Ban = z.strictObject({
  userId: PersonId,
  bannedBy: PersonId.nullable(),
  createdAt: Time,
  /** Sent to people who manage bans, never to the banned person. Null: no reason was given. */
  reason: z.string().nullable(),
  /** When the ban ends by itself. Null: never. */
  until: Time.nullable(),
});
export type Ban = z.infer<typeof Ban>;

/** The part of a ban that the banned person receives. */
export const BanNotice = Ban.pick({ until: true });
export type BanNotice = z.infer<typeof BanNotice>;

export const FoundMember = Member.pick({ userId: true, nickname: true }).extend({ serverId: Id });
export type FoundMember = z.infer<typeof FoundMember>;

/** The members of a large server, and how many of them are not offline. */
export const Counts = z.strictObject({ members: z.int(), online: z.int() });
export type Counts = z.infer<typeof Counts>;

const MemberTarget = z.strictObject({ serverId: Id, userId: Id });

export const memberCommands = {
  'member:list': command({
    summary: 'Lists a server’s members by id, a page at a time, with their online status.',
    input: z
      .strictObject({
        serverId: Id,
        after: Id.optional(),
        limit: PageSize.optional(),
        userIds: Ids(limits.page).optional(),
        /** Text in a name or username, ignoring case and accents. One or two letters must begin a word. */
        query: Text(limits.displayName).optional(),
        /** A name that theirs must look like, in any alphabet. Returns some if they are hundreds. Excludes `query`. */
        looksLike: Text(limits.displayName).optional(),
      })
      .refine(({ query, looksLike }) => query === undefined || looksLike === undefined, {
        message: 'Use either query or looksLike.',
        path: ['looksLike'],
      })
      .meta({
        description:
          'looksLike returns members whose names look like this name; if there are hundreds, only some of them. It can’t be combined with query.',
        not: { required: ['query', 'looksLike'] },
      }),
    output: z.strictObject({
      members: z.array(Member),
      people: People,
      presence: PresenceMap,
      /** Only for a large server. */
      counts: Counts.optional(),
      more: More,
    }),
    errors: ['not_found'],
    rate: 'read',
    // A search reads many names.
    cost: ({ query, looksLike }) => (query === undefined && looksLike === undefined ? 1 : 4),
    http: 'GET /api/servers/[serverId]/members',
  }),
  'member:search': command({
    summary:
      'Finds people in all of your servers: nicknames, display names or usernames that start with or contain the query, ignoring case and accents. One or two letters only match the start of a word. People you’ve blocked, or who blocked you, are left out.',
    input: z.strictObject({
      query: Text(limits.displayName).refine((text) => text.trim() !== '', 'Enter a name.'),
      limit: z.int().min(1).max(limits.searchResults).optional(),
    }),
    output: z.strictObject({ members: z.array(FoundMember), people: People }),
    errors: [],
    rate: 'read',
    cost: () => 4,
    http: 'GET /api/members',
  }),
  'member:update': command({
    summary:
      'Sets a nickname (your own, or of people you outrank) or a role (owner only; for ownership see server:transfer).',
    input: MemberTarget.extend({
      role: z.enum(['moderator', 'member']).optional(),
      nickname: DisplayName.nullable().optional(),
    }),
    output: z.strictObject({ member: Member }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
  }),
  'member:remove': command({
    summary:
      'Removes a member you outrank. They can rejoin with an invite. Like time-outs, bans and nicknames of others, for moderators, the owner and custom roles with `manage members`; these roles rank below moderators and above all other members.',
    input: MemberTarget,
    output: Nothing,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
  }),
  'member:timeOut': command({
    summary:
      'Times out a member you outrank: until then they can only read. Their bots aren’t timed out. It also holds if they leave and join again. 0 seconds ends it.',
    input: MemberTarget.extend({
      seconds: z.int().min(0).max(quotas.timeoutSeconds),
      reason: Line(limits.banReason).optional(),
    }),
    output: z.strictObject({ member: Member }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
  }),
  'ban:create': command({
    summary:
      'Removes a member you outrank; they can’t rejoin until they’re unbanned, or until the ban ends. Also bans their bots, unless `bots` is false. An existing ban stays unchanged. The ban of an account created in the last 30 days also keeps out other new accounts on the same device and, if the account is a guest’s, other guests on the same network. With `deleteMessages`, their messages in the channels that you can see are deleted in the background.',
    input: MemberTarget.extend({
      /** Default: true. False leaves their bots, which continue to read. */
      bots: z.boolean().optional(),
      reason: Line(limits.banReason).optional(),
      /** Absent: the ban is permanent. */
      seconds: z.int().min(1).max(limits.banSeconds).optional(),
      /** Deletes the messages of these last seconds by them and by the bots that are banned with them. */
      deleteMessages: z.int().min(1).max(limits.purgeSeconds).optional(),
    }),
    output: z.strictObject({ ban: Ban }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
  }),
  'member:newcomers': command({
    summary: `Lists up to ${quotas.newcomersListed} members who joined within the last \`seconds\`, newest first. \`count\` includes members beyond that. Bots, moderators, the owner and custom roles with \`manage members\` are left out. For moderators, the owner and custom roles with \`manage members\`.`,
    input: z.strictObject({
      serverId: Id,
      seconds: z.int().min(1).max(quotas.newcomerSeconds),
    }),
    output: z.strictObject({ members: z.array(Member), people: People, count: z.int() }),
    errors: ['forbidden', 'not_found'],
    rate: 'read',
    // Counts members.
    cost: () => 4,
  }),
  'ban:createMany': command({
    summary: `Bans up to ${quotas.bansAtOnce} members you outrank, and their bots, like ban:create; for example, after a raid. Skips people who aren’t members, people you don’t outrank, and people with a bot you don’t outrank. Returns the ids among \`userIds\` that are banned now.`,
    input: z.strictObject({
      serverId: Id,
      userIds: Ids(quotas.bansAtOnce),
      reason: Line(limits.banReason).optional(),
      /** Absent: the bans are permanent. */
      seconds: z.int().min(1).max(limits.banSeconds).optional(),
      deleteMessages: z.int().min(1).max(limits.purgeSeconds).optional(),
    }),
    output: z.strictObject({ userIds: z.array(PersonId) }),
    errors: ['forbidden', 'not_found'],
    rate: 'write',
    cost: ({ userIds }) => Math.ceil(userIds.length / 5),
  }),
  'ban:list': command({
    summary:
      'Lists the bans by user id, a page at a time. For moderators, the owner and custom roles with `manage members`.',
    input: z.strictObject({ serverId: Id, ...pageAfter }),
    output: z.strictObject({ bans: z.array(Ban), people: People, more: More }),
    errors: ['forbidden', 'not_found'],
    rate: 'read',
  }),
  'ban:delete': command({
    summary: 'Unbans a person. For moderators, the owner and custom roles with `manage members`.',
    input: MemberTarget,
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
  }),
};
