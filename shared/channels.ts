import { z } from 'zod';
import {
  command,
  Id,
  Ids,
  Name,
  NewId,
  Nothing,
  PersonId,
  SortPosition,
  Text,
  Time,
  Version,
} from './contract.ts';
import { entryOf } from './entry.ts';
import { limits } from './limits.ts';
import { quotas } from './quotas.ts';

export const ChannelName = Name(limits.channelName);
export const ChannelTopic = Text(limits.channelTopic);

export const PublicChannel = z.strictObject({
  /** Also the id of its timeline. */
  id: Id,
  serverId: Id,
  name: z.string(),
  topic: z.string(),
  /** Its category. Channels with null are above all categories. */
  categoryId: Id.nullable(),
  /** Lower comes first. Public channels have 1, 2, 3 …, private ones have numbers between them. */
  position: z.number(),
  private: z.literal(false),
  /** Only moderators, the owner, custom roles with `send` and those in `senderRoleIds` can send messages. */
  announcements: z.literal(true).optional(),
  /** Slow mode: members wait this long after each message before they send another. Absent if off. */
  slowSeconds: z.int().min(1).max(quotas.slowSeconds).optional(),
  /** Custom roles that can send messages despite `announcements`. May include deleted ones. Absent if none. */
  senderRoleIds: z.array(Id).optional(),
  /** Custom roles that can mention everyone in this channel. May include deleted ones. Absent if none. */
  callerRoleIds: z.array(Id).optional(),
  createdAt: Time,
  version: Version,
});
export type PublicChannel = z.infer<typeof PublicChannel>;

/** A channel that only its members see. It is in their user rooms, not in the server’s room. */
export const PrivateChannel = PublicChannel.extend({
  private: z.literal(true),
  memberIds: z.array(PersonId),
  /** Custom roles that open the channel: everyone with one of them is a member. Absent if none. */
  viewerRoleIds: z.array(Id).optional(),
});
export type PrivateChannel = z.infer<typeof PrivateChannel>;

export const Channel = z.discriminatedUnion('private', [PublicChannel, PrivateChannel]);
export type Channel = z.infer<typeof Channel>;

export const FoundChannel = PublicChannel.pick({ id: true, serverId: true, name: true }).extend({
  private: z.boolean(),
});
export type FoundChannel = z.infer<typeof FoundChannel>;

const One = z.strictObject({ channel: Channel });
const ChannelMemberTarget = z.strictObject({ channelId: Id, userId: Id });
/** The people who will see a private channel, besides its creator and the owner. */
const Chosen = Ids(quotas.channelMembers).optional();
const onlyInPrivate = <
  T extends z.ZodType<{ private?: boolean | undefined; userIds?: string[] | undefined }>,
>(
  input: T,
) =>
  input
    .refine((given) => given.private === true || given.userIds === undefined, {
      message: 'Only private channels have members to choose.',
      path: ['userIds'],
    })
    .meta({
      description: 'userIds requires private: true.',
      if: { required: ['userIds'] },
      then: { properties: { private: { const: true } }, required: ['private'] },
    });

export const channelCommands = {
  'channel:search': command({
    summary:
      'Finds channels that you can see in any of your servers: names that start with or contain the query, ignoring case and accents. One or two letters only match the start of a word.',
    input: z.strictObject({
      query: Text(limits.displayName).refine((text) => text.trim() !== '', 'Enter a name.'),
      limit: z.int().min(1).max(limits.searchResults).optional(),
    }),
    output: z.strictObject({ channels: z.array(FoundChannel) }),
    errors: [],
    rate: 'read',
    // Reads the names of all channels of all the user’s servers.
    cost: () => 4,
    http: 'GET /api/channels',
  }),
  'channel:create': command({
    summary:
      'Creates a channel, below the others of its category. A private channel is for you, the owner, the members in `userIds`, and everyone with a custom role in `viewerRoleIds`, which only the owner sets. With `announcements`, only moderators, the owner and custom roles with `send` can send messages in it. For moderators, the owner and custom roles with `manage channels`.',
    input: onlyInPrivate(
      z.strictObject({
        serverId: Id,
        name: ChannelName,
        id: NewId.optional(),
        topic: ChannelTopic.optional(),
        categoryId: Id.nullable().optional(),
        private: z.boolean().optional(),
        userIds: Chosen,
        viewerRoleIds: Ids(quotas.rolesPerServer).optional(),
        announcements: z.boolean().optional(),
      }),
    ),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'create',
    http: 'POST /api/servers/[serverId]/channels',
  }),
  'channel:update': command({
    summary:
      'Renames a channel, sets its topic, moves it (into a category or out of it, to the place of the channel that is at `position` now), or makes it private or public. A private channel is for the members in `userIds`, you and the owner. With `announcements`, only moderators, the owner, custom roles with `send`, and custom roles in `senderRoleIds` can send messages in it. Custom roles in `callerRoleIds` can mention everyone in it. Everyone with a custom role in `viewerRoleIds` is a member of the channel, which must be private. Only the owner sets these three; an empty list removes all roles. With `slowSeconds` (0: off), members wait this long after each message. For moderators, the owner and custom roles with `manage channels`.',
    input: onlyInPrivate(
      z.strictObject({
        channelId: Id,
        name: ChannelName.optional(),
        topic: ChannelTopic.optional(),
        categoryId: Id.nullable().optional(),
        position: SortPosition.optional(),
        private: z.boolean().optional(),
        userIds: Chosen,
        announcements: z.boolean().optional(),
        slowSeconds: z.int().min(0).max(quotas.slowSeconds).optional(),
        senderRoleIds: Ids(quotas.rolesPerServer).optional(),
        callerRoleIds: Ids(quotas.rolesPerServer).optional(),
        viewerRoleIds: Ids(quotas.rolesPerServer).optional(),
      }),
    ),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
    http: 'PATCH /api/channels/[channelId]',
  }),
  'channel:delete': command({
    summary:
      'Deletes a channel with its messages; the default channel can’t be deleted. For moderators, the owner and custom roles with `manage channels`.',
    input: z.strictObject({ channelId: Id }),
    output: Nothing,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
    http: 'DELETE /api/channels/[channelId]',
  }),
  'channel:addMember': command({
    summary:
      'Adds a member of the server to a private channel. For the owner, and for moderators and custom roles with `manage channels` in it.',
    input: ChannelMemberTarget,
    output: Nothing,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
  }),
  'channel:removeMember': command({
    summary:
      'Removes a person from a private channel: yourself, or others as moderator or owner. The owner, and people with a custom role that opens the channel, can’t be removed.',
    input: ChannelMemberTarget,
    output: Nothing,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
  }),
  'channel:join': command({
    summary:
      'Enters a channel’s timeline: returns its newest messages, or the changes since `since`. Later changes follow as events.',
    input: z.strictObject({ channelId: Id, since: Version.optional() }),
    output: entryOf<'timeline'>(),
    errors: ['not_found'],
    rate: 'read',
  }),
  'channel:leave': command({
    summary: 'Leaves a channel’s timeline on this socket.',
    input: z.strictObject({ channelId: Id }),
    output: Nothing,
    errors: ['not_found'],
    rate: 'read',
  }),
};
