/**
 * Rooms: named slices of rows, the same for everyone in the room, and the changes that can happen to them. Both sides
 * read this table: the server to check what it publishes, the client to apply it. No Zod here, so that the browser can
 * load it.
 */

export type RoomKind = 'user' | 'server' | 'timeline';
export type RoomOf<K extends RoomKind> = `${K}:${string}`;
export type Room = RoomOf<RoomKind>;

export const userRoom = (id: string): RoomOf<'user'> => `user:${id}`;
export const serverRoom = (id: string): RoomOf<'server'> => `server:${id}`;
export const timelineRoom = (id: string): RoomOf<'timeline'> => `timeline:${id}`;

export function splitRoom<K extends string>(room: `${K}:${string}`): { kind: K; id: string } {
  const [kind, id] = room.split(':') as [K, string];
  return { kind, id };
}

/** The slices of each kind of room. `servers` in a server’s room is that one server itself. */
export const roomSlices = {
  user: [
    'servers',
    'transfers',
    'taskCounts',
    'privateChannels',
    'conversations',
    'friendships',
    'friendRequests',
    'blocks',
    'notificationSettings',
    'sidebarLists',
  ],
  server: ['servers', 'categories', 'channels', 'members', 'emoji', 'roles'],
  timeline: ['messages'],
} as const satisfies Record<RoomKind, readonly SliceName[]>;

/** The field that identifies the rows of each slice. */
export const sliceKeys = {
  servers: 'id',
  transfers: 'serverId',
  taskCounts: 'serverId',
  privateChannels: 'id',
  categories: 'id',
  channels: 'id',
  members: 'userId',
  emoji: 'id',
  roles: 'id',
  messages: 'id',
  conversations: 'id',
  friendships: 'id',
  friendRequests: 'id',
  blocks: 'userId',
  notificationSettings: 'targetId',
  sidebarLists: 'list',
} as const;

export type SliceName = keyof typeof sliceKeys;

/** The slice of each change, and either the field with the new row or the field with the removed row’s key. */
export const changeShapes = {
  'server:joined': { slice: 'servers', row: 'server' },
  'server:updated': { slice: 'servers', row: 'server' },
  /** The three ways in which a server leaves the user’s list: they left, they were removed, it was deleted. */
  'server:left': { slice: 'servers', gone: 'serverId' },
  'server:removed': { slice: 'servers', gone: 'serverId' },
  'server:deleted': { slice: 'servers', gone: 'serverId' },
  'transfer:created': { slice: 'transfers', row: 'transfer' },
  /** Accepted, declined, withdrawn, or ended by itself. */
  'transfer:deleted': { slice: 'transfers', gone: 'serverId' },
  'taskCount:updated': { slice: 'taskCounts', row: 'taskCount' },
  /** No task is open, or the user lost the role that let them answer tasks. */
  'taskCount:deleted': { slice: 'taskCounts', gone: 'serverId' },
  'privateChannel:joined': { slice: 'privateChannels', row: 'channel' },
  'privateChannel:updated': { slice: 'privateChannels', row: 'channel' },
  /** The user left or was removed, or the channel was deleted or made public. */
  'privateChannel:left': { slice: 'privateChannels', gone: 'channelId' },
  'privateChannel:removed': { slice: 'privateChannels', gone: 'channelId' },
  'privateChannel:deleted': { slice: 'privateChannels', gone: 'channelId' },
  'privateChannel:opened': { slice: 'privateChannels', gone: 'channelId' },
  'category:created': { slice: 'categories', row: 'category' },
  'category:updated': { slice: 'categories', row: 'category' },
  'category:deleted': { slice: 'categories', gone: 'categoryId' },
  'emoji:created': { slice: 'emoji', row: 'emoji' },
  'emoji:deleted': { slice: 'emoji', gone: 'emojiId' },
  'role:created': { slice: 'roles', row: 'role' },
  'role:updated': { slice: 'roles', row: 'role' },
  'role:deleted': { slice: 'roles', gone: 'roleId' },
  'channel:created': { slice: 'channels', row: 'channel' },
  'channel:updated': { slice: 'channels', row: 'channel' },
  'channel:closed': { slice: 'channels', gone: 'channelId' },
  'channel:opened': { slice: 'channels', row: 'channel' },
  'channel:deleted': { slice: 'channels', gone: 'channelId' },
  'member:joined': { slice: 'members', row: 'member' },
  'member:updated': { slice: 'members', row: 'member' },
  'member:left': { slice: 'members', gone: 'userId' },
  'member:removed': { slice: 'members', gone: 'userId' },
  /** The room of a large server has only the staff and members with roles; this member is no longer one of them. */
  'member:unlisted': { slice: 'members', gone: 'userId' },
  'message:created': { slice: 'messages', row: 'message' },
  'message:updated': { slice: 'messages', row: 'message' },
  /** A deleted message stays as a tombstone, so this is an upsert too. */
  'message:deleted': { slice: 'messages', row: 'message' },
  /** New to the user: a person started it, or added them. */
  'conversation:created': { slice: 'conversations', row: 'conversation' },
  'conversation:updated': { slice: 'conversations', row: 'conversation' },
  'conversation:left': { slice: 'conversations', gone: 'conversationId' },
  'conversation:removed': { slice: 'conversations', gone: 'conversationId' },
  'friendRequest:created': { slice: 'friendRequests', row: 'friendRequest' },
  'friendRequest:updated': { slice: 'friendRequests', row: 'friendRequest' },
  /** Accepted, declined, canceled, or ended by a block. The sender is not notified of a decline. */
  'friendRequest:deleted': { slice: 'friendRequests', gone: 'requestId' },
  'friendship:created': { slice: 'friendships', row: 'friendship' },
  'friendship:updated': { slice: 'friendships', row: 'friendship' },
  'friendship:deleted': { slice: 'friendships', gone: 'friendshipId' },
  'block:created': { slice: 'blocks', row: 'block' },
  'block:deleted': { slice: 'blocks', gone: 'userId' },
  'notificationSetting:updated': { slice: 'notificationSettings', row: 'setting' },
  'notificationSetting:deleted': { slice: 'notificationSettings', gone: 'targetId' },
  'sidebarList:updated': { slice: 'sidebarLists', row: 'sidebarList' },
} as const satisfies Record<string, ChangeShape>;

type ChangeShape = { slice: SliceName; row: string } | { slice: SliceName; gone: string };
export type ChangeShapes = typeof changeShapes;
export type ChangeType = keyof ChangeShapes;
