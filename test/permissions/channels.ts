import type { categoryCommands } from '../../shared/categories.ts';
import type { channelCommands } from '../../shared/channels.ts';
import type { sidebarCommands } from '../../shared/sidebar.ts';
import { everyone, hidden, serverMembers, granted, ownerOnly, type Cells } from './kinds.ts';
import { keeping, type PermissionRows } from './row.ts';
import { newRole } from './scene.ts';

/** Keepers have the right, but the operation conflicts. */
const conflicting: Cells = {
  ...granted,
  'member with a role': 'conflict',
  moderator: 'conflict',
  owner: 'conflict',
};
const without = 'in a private channel without oneself';

export const channelRows: PermissionRows<
  keyof (typeof channelCommands & typeof categoryCommands & typeof sidebarCommands)
> = {
  'category:create': [
    { inPlace: ({ server }) => ({ serverId: server.id, name: 'Halls' }), cells: granted },
  ],
  'category:list': [{ inPlace: ({ server }) => ({ serverId: server.id }), cells: serverMembers }],
  'category:update': [
    {
      what: 'name',
      keeps: true,
      inPlace: async ({ categoryId }) => ({ categoryId: await categoryId(), name: 'New' }),
      cells: granted,
    },
    {
      what: 'place',
      keeps: true,
      inPlace: async ({ categoryId }) => ({ categoryId: await categoryId(), position: 1 }),
      cells: granted,
    },
  ],
  'category:delete': [
    {
      inPlace: async ({ categoryId }) => ({ categoryId: await categoryId() }),
      cells: granted,
    },
  ],
  'channel:search': [{ input: () => ({ query: 'general' }), cells: everyone }],
  'channel:create': [
    { inPlace: ({ server }) => ({ serverId: server.id, name: 'new' }), cells: granted },
    {
      what: 'private',
      inPlace: ({ server }, { other }) => ({
        serverId: server.id,
        name: 'new',
        private: true,
        userIds: [other.id],
      }),
      cells: granted,
    },
  ],
  'channel:update': [
    {
      what: 'roles',
      keeps: true,
      inPlace: async (place) => {
        const roleIds = [await newRole(place)];
        return { channelId: place.channelId, senderRoleIds: roleIds, callerRoleIds: roleIds };
      },
      cells: ownerOnly,
    },
    {
      what: 'roles that open it',
      keeps: true,
      inPlace: async (place) => ({
        channelId: await place.inside(),
        viewerRoleIds: [await newRole(place)],
      }),
      cells: ownerOnly,
    },
    {
      what: 'roles that open it, for a public channel',
      keeps: true,
      inPlace: async (place) => ({
        channelId: place.channelId,
        viewerRoleIds: [await newRole(place)],
      }),
      cells: { ...ownerOnly, owner: 'conflict' },
    },
    {
      what: `roles that open it, ${without}`,
      inPlace: async (place) => ({
        channelId: await place.outside(),
        viewerRoleIds: [await newRole(place)],
      }),
      cells: hidden,
    },
    {
      what: 'announcements',
      inPlace: ({ channelId }) => ({ channelId, announcements: true }),
      cells: granted,
    },
    { inPlace: ({ channelId }) => ({ channelId, topic: 'News' }), cells: granted },
    {
      what: 'place',
      keeps: true,
      inPlace: async ({ channelId, categoryId }) => ({
        channelId,
        categoryId: await categoryId(),
        position: 1,
      }),
      cells: granted,
    },
    {
      what: 'private',
      inPlace: ({ channelId }) => ({ channelId, private: true }),
      cells: ownerOnly,
    },
    {
      what: 'private, the default one',
      inPlace: ({ server }) => ({ channelId: server.defaultChannelId, private: true }),
      cells: { ...ownerOnly, owner: 'conflict' },
    },
    {
      what: 'public',
      inPlace: async ({ inside }) => ({ channelId: await inside(), private: false }),
      cells: granted,
    },
    {
      what: without,
      inPlace: async ({ outside }) => ({ channelId: await outside(), private: false }),
      cells: hidden,
    },
  ],
  'channel:addMember': [
    {
      inPlace: async ({ inside }, { other }) => ({
        channelId: await inside(),
        userId: other.id,
      }),
      cells: granted,
    },
    {
      what: 'to one that all see',
      inPlace: ({ channelId }, { other }) => ({ channelId, userId: other.id }),
      cells: conflicting,
    },
    {
      what: without,
      inPlace: async ({ outside }, { caller }) => ({
        channelId: await outside(),
        userId: caller.id,
      }),
      cells: hidden,
    },
  ],
  'channel:removeMember': [
    {
      inPlace: async ({ inside }, { other }) => ({
        channelId: await inside(),
        userId: other.id,
      }),
      cells: granted,
    },
    {
      what: 'oneself',
      inPlace: async ({ inside }, { caller }) => ({
        channelId: await inside(),
        userId: caller.id,
      }),
      cells: { ...serverMembers, owner: 'conflict' },
    },
    {
      what: without,
      inPlace: async ({ outside }, { other }) => ({
        channelId: await outside(),
        userId: other.id,
      }),
      cells: hidden,
    },
  ],
  'channel:delete': [
    { inPlace: ({ channelId }) => ({ channelId }), cells: granted },
    {
      what: without,
      inPlace: async ({ outside }) => ({ channelId: await outside() }),
      cells: hidden,
    },
    {
      what: 'the default one',
      inPlace: ({ server }) => ({ channelId: server.defaultChannelId }),
      cells: conflicting,
    },
  ],
  'channel:join': [
    { inPlace: ({ channelId }) => ({ channelId }), cells: serverMembers },
    {
      what: 'a private one',
      inPlace: async ({ inside }) => ({ channelId: await inside() }),
      cells: serverMembers,
    },
    {
      what: without,
      inPlace: async ({ outside }) => ({ channelId: await outside() }),
      cells: hidden,
    },
  ],
  'channel:leave': [
    { inPlace: ({ channelId }) => ({ channelId }), cells: serverMembers },
    {
      what: without,
      inPlace: async ({ outside }) => ({ channelId: await outside() }),
      cells: hidden,
    },
  ],
  'sidebar:place': keeping<'sidebar:place'>([
    {
      what: 'a server',
      inPlace: ({ server }) => ({ list: 'servers', targetId: server.id }),
      cells: serverMembers,
    },
    {
      what: 'a channel',
      inPlace: ({ channelId }) => ({ list: 'favourites', targetId: channelId }),
      cells: serverMembers,
    },
    {
      what: without,
      inPlace: async ({ outside }) => ({ list: 'favourites', targetId: await outside() }),
      cells: hidden,
    },
    {
      what: 'a category',
      inPlace: async ({ categoryId }) => ({ list: 'collapsed', targetId: await categoryId() }),
      cells: serverMembers,
    },
  ]),
  'sidebar:remove': keeping<'sidebar:remove'>([
    {
      inPlace: ({ channelId }) => ({ list: 'favourites', targetId: channelId }),
      cells: everyone,
    },
  ]),
};
