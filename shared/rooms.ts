/**
 * What a room is: named slices of rows, the same for everyone in it, and the changes that can happen to
 * them. Both sides read this table: the server to check what it publishes, the client to apply it. No Zod
 * here, so that the browser can carry it.
 */

export type RoomKind = 'user' | 'server' | 'timeline';
export type RoomOf<K extends RoomKind> = `${K}:${string}`;
export type Room = RoomOf<RoomKind>;

export const userRoom = (id: string): RoomOf<'user'> => `user:${id}`;
export const serverRoom = (id: string): RoomOf<'server'> => `server:${id}`;
export const timelineRoom = (id: string): RoomOf<'timeline'> => `timeline:${id}`;

/** The two halves of a room's name. */
export function splitRoom<K extends string>(room: `${K}:${string}`): { kind: K; id: string } {
  const [kind, id] = room.split(':') as [K, string];
  return { kind, id };
}

/** The slices that make up each kind of room. `servers` in a server's room is that one server itself. */
export const roomSlices = {
  user: [
    'servers',
    'transfers',
    'privateChannels',
    'conversations',
    'friendships',
    'friendRequests',
    'blocks',
    'notificationSettings',
  ],
  server: ['servers', 'categories', 'channels', 'members', 'emoji'],
  timeline: ['messages'],
} as const satisfies Record<RoomKind, readonly SliceName[]>;

/** Each slice, and the field that tells its rows apart. */
export const sliceKeys = {
  servers: 'id',
  transfers: 'serverId',
  privateChannels: 'id',
  categories: 'id',
  channels: 'id',
  members: 'userId',
  emoji: 'id',
  messages: 'id',
  conversations: 'id',
  friendships: 'id',
  friendRequests: 'id',
  blocks: 'userId',
  notificationSettings: 'targetId',
} as const;

export type SliceName = keyof typeof sliceKeys;

/**
 * Each change: the slice it touches, and either the noun under which it carries the whole new row, or the
 * field with which it names the row that is gone.
 */
export const changeShapes = {
  'server:joined': { slice: 'servers', row: 'server' },
  'server:updated': { slice: 'servers', row: 'server' },
  /** I left, I was removed, the server is no more: the three ways in which one goes from my list. */
  'server:left': { slice: 'servers', gone: 'serverId' },
  'server:removed': { slice: 'servers', gone: 'serverId' },
  'server:deleted': { slice: 'servers', gone: 'serverId' },
  'transfer:created': { slice: 'transfers', row: 'transfer' },
  /** Accepted, declined, withdrawn, or ended by itself. */
  'transfer:deleted': { slice: 'transfers', gone: 'serverId' },
  'privateChannel:joined': { slice: 'privateChannels', row: 'channel' },
  'privateChannel:updated': { slice: 'privateChannels', row: 'channel' },
  /** I left, I was removed, the channel is no more, or everyone sees it now. */
  'privateChannel:left': { slice: 'privateChannels', gone: 'channelId' },
  'privateChannel:removed': { slice: 'privateChannels', gone: 'channelId' },
  'privateChannel:deleted': { slice: 'privateChannels', gone: 'channelId' },
  'privateChannel:opened': { slice: 'privateChannels', gone: 'channelId' },
  'category:created': { slice: 'categories', row: 'category' },
  'category:updated': { slice: 'categories', row: 'category' },
  'category:deleted': { slice: 'categories', gone: 'categoryId' },
  'emoji:created': { slice: 'emoji', row: 'emoji' },
  'emoji:deleted': { slice: 'emoji', gone: 'emojiId' },
  'channel:created': { slice: 'channels', row: 'channel' },
  'channel:updated': { slice: 'channels', row: 'channel' },
  /** It became private, or public again. */
  'channel:closed': { slice: 'channels', gone: 'channelId' },
  'channel:opened': { slice: 'channels', row: 'channel' },
  'channel:deleted': { slice: 'channels', gone: 'channelId' },
  'member:joined': { slice: 'members', row: 'member' },
  'member:updated': { slice: 'members', row: 'member' },
  'member:left': { slice: 'members', gone: 'userId' },
  'member:removed': { slice: 'members', gone: 'userId' },
  /** Of a large server's members only the staff is in its room; this one is no longer among them. */
  'member:unlisted': { slice: 'members', gone: 'userId' },
  'message:created': { slice: 'messages', row: 'message' },
  'message:updated': { slice: 'messages', row: 'message' },
  /** A deleted message stays as an empty tombstone, so this is an upsert too. */
  'message:deleted': { slice: 'messages', row: 'message' },
  /** One that is new to me: somebody started it, or added me. */
  'conversation:created': { slice: 'conversations', row: 'conversation' },
  'conversation:updated': { slice: 'conversations', row: 'conversation' },
  'conversation:left': { slice: 'conversations', gone: 'conversationId' },
  'conversation:removed': { slice: 'conversations', gone: 'conversationId' },
  'friendRequest:created': { slice: 'friendRequests', row: 'friendRequest' },
  'friendRequest:updated': { slice: 'friendRequests', row: 'friendRequest' },
  /** Accepted, declined, taken back, or ended by a block. Its sender does not hear of a decline. */
  'friendRequest:deleted': { slice: 'friendRequests', gone: 'requestId' },
  'friendship:created': { slice: 'friendships', row: 'friendship' },
  'friendship:updated': { slice: 'friendships', row: 'friendship' },
  'friendship:deleted': { slice: 'friendships', gone: 'friendshipId' },
  'block:created': { slice: 'blocks', row: 'block' },
  'block:deleted': { slice: 'blocks', gone: 'userId' },
  'notificationSetting:updated': { slice: 'notificationSettings', row: 'setting' },
  'notificationSetting:deleted': { slice: 'notificationSettings', gone: 'targetId' },
} as const satisfies Record<string, ChangeShape>;

type ChangeShape = { slice: SliceName; row: string } | { slice: SliceName; gone: string };
export type ChangeShapes = typeof changeShapes;
export type ChangeType = keyof ChangeShapes;
