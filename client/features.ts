/** The store of each slice. A slice without a store does not compile. */
import type { Row } from '../shared/changes.ts';
import type { SliceName } from '../shared/rooms.ts';
import { blocks } from './blocks/blocks.svelte.ts';
import { categories } from './categories/categories.svelte.ts';
import { channels } from './channels/channels.svelte.ts';
import type { SliceStore } from './sync/changes.ts';
import { conversations } from './conversations/conversations.svelte.ts';
import { custom } from './emoji/custom.svelte.ts';
import { friendRequests, friendships } from './friends/friends.svelte.ts';
import { members } from './members/members.svelte.ts';
import { timelines } from './messages/messages.svelte.ts';
import { notificationSettings } from './notifications/settings.svelte.ts';
import { roles } from './members/roles.svelte.ts';
import { servers } from './servers/servers.svelte.ts';
import { sidebar } from './sidebar/sidebar.svelte.ts';
import { tasks } from './servers/tasks.svelte.ts';
import { transfers } from './transfers/transfers.svelte.ts';

export const holders: { readonly [S in SliceName]: SliceStore<Row<S>> } = {
  servers: servers.rows,
  transfers: transfers.rows,
  taskCounts: tasks.counts,
  privateChannels: channels.privates,
  categories: categories.rows,
  emoji: custom.rows,
  roles: roles.rows,
  channels: channels.rows,
  members: members.rows,
  messages: timelines,
  conversations: conversations.rows,
  friendships: friendships.rows,
  friendRequests: friendRequests.rows,
  blocks: blocks.rows,
  notificationSettings: notificationSettings.rows,
  sidebarLists: sidebar.rows,
};
