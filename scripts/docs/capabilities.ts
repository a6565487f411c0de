/**
 * The capabilities that the service’s specification names, and the code that provides them. Names that do not exist do
 * not compile. Commands that are not here are beyond the specification: the reference has them.
 */
import type { CommandName } from '../../shared/protocol.ts';
import type { ChangeType } from '../../shared/rooms.ts';

export interface Capability {
  what: string;
  commands: readonly CommandName[];
  changes?: readonly ChangeType[];
  /** Anything that is not a command: an endpoint, a rule, an event. */
  also?: string;
}

export const capabilities: Record<string, readonly Capability[]> = {
  'Signing in': [
    {
      what: 'Register, sign in with credentials, join as a guest; a guest can register later and keep their identity',
      commands: [],
      also: '`POST /api/auth/register`, `/login`, `/guest`',
    },
    {
      what: 'Reset a forgotten password with an administrator’s one-time link',
      commands: ['account:reset'],
      also: '`POST /api/auth/reset`, `npm run admin -- person reset`',
    },
    {
      what: 'Find accounts, sign them out, suspend and restore them, make them administrators',
      commands: ['account:list', 'account:signOut', 'account:update'],
      also: '`npm run admin -- person …`',
    },
    {
      what: 'Set who can register, join as a guest and create servers, and the name on the sign-in page',
      commands: ['instance:get', 'instance:update'],
    },
    {
      what: 'Sign out, here or on another device',
      commands: ['session:logout', 'session:list', 'session:revoke'],
    },
    {
      what: 'Change your name, your picture and your password, which is stored only as a hash',
      commands: ['user:update', 'user:changePassword'],
      also: 'event `people`',
    },
  ],
  'Online status': [
    {
      what: 'Follows signing in and out, and can be chosen',
      commands: ['presence:set', 'presence:update'],
      also: 'event `presence`',
    },
    {
      what: 'Local time, for people who know each other',
      commands: ['localTime:set', 'localTime:get'],
    },
  ],
  Server: [
    {
      what: 'Create, read, update, delete',
      commands: ['server:create', 'server:list', 'server:open', 'server:update', 'server:delete'],
      changes: ['server:joined', 'server:updated', 'server:deleted'],
      also: 'the answer to `server:open` includes the members and their status',
    },
    {
      what: 'Join, leave, transfer ownership',
      commands: [
        'invite:create',
        'invite:get',
        'invite:list',
        'invite:delete',
        'invite:pause',
        'server:join',
        'server:leave',
        'server:transfer',
        'server:acceptTransfer',
        'server:declineTransfer',
      ],
      changes: ['server:joined', 'server:left', 'transfer:created', 'transfer:deleted'],
    },
  ],
  Member: [
    {
      what: 'List with online status, roles, nicknames',
      commands: ['member:list', 'member:search', 'member:update'],
      changes: ['member:joined', 'member:updated', 'member:left'],
    },
    {
      what: 'Time out, remove, ban, unban',
      commands: [
        'member:timeOut',
        'member:remove',
        'member:newcomers',
        'ban:create',
        'ban:createMany',
        'ban:list',
        'ban:delete',
      ],
      changes: ['member:removed', 'server:removed'],
    },
    {
      what: 'Refuse messages with certain words',
      commands: ['wordFilter:get', 'wordFilter:set'],
    },
    {
      what: 'Ask to join a server that approves new members, and answer requests',
      commands: [
        'joinRequest:create',
        'joinRequest:mine',
        'joinRequest:cancel',
        'joinRequest:list',
        'joinRequest:accept',
        'joinRequest:decline',
      ],
      changes: ['taskCount:updated', 'taskCount:deleted'],
    },
    {
      what: 'Report messages, and answer reports',
      commands: ['report:create', 'report:list', 'report:close'],
      changes: ['taskCount:updated', 'taskCount:deleted'],
    },
  ],
  Channel: [
    {
      what: 'Create in a category or without one, edit, order, delete',
      commands: ['channel:create', 'channel:update', 'channel:delete'],
      changes: ['channel:created', 'channel:updated', 'channel:deleted'],
      also: 'names of at most 32 characters; the default channel can’t be deleted or made private, which the database ensures too',
    },
    {
      what: 'Find by name, receive messages',
      commands: ['channel:search', 'channel:join', 'channel:leave'],
    },
    {
      what: 'Private channels, for selected members',
      commands: ['channel:addMember', 'channel:removeMember'],
    },
  ],
  'Server category': [
    {
      what: 'Create, read, update, order, delete',
      commands: ['category:create', 'category:list', 'category:update', 'category:delete'],
      changes: ['category:created', 'category:updated', 'category:deleted'],
    },
  ],
  'Server emoji': [
    {
      what: 'Named pictures, for messages and reactions in that server; up to 100',
      commands: ['emoji:create', 'emoji:delete'],
      changes: ['emoji:created', 'emoji:deleted'],
      also: '`GET /files/<id>/emoji`',
    },
  ],
  'Server role': [
    {
      what: 'Create, edit, order and delete roles with a color, an emoji and permissions; give them to members; up to 50',
      commands: ['role:create', 'role:update', 'role:delete', 'role:give', 'role:take'],
      changes: ['role:created', 'role:updated', 'role:deleted'],
    },
  ],
  Message: [
    {
      what: 'Create, edit, delete; read in pages',
      commands: ['message:send', 'message:edit', 'message:delete', 'message:list'],
      changes: ['message:created', 'message:updated', 'message:deleted'],
    },
    {
      what: 'Unread messages, on all your devices',
      commands: ['read:update', 'read:mark'],
      also: 'events `read`, `activity`',
    },
    {
      what: 'Choose notifications for everything, a server, channel or conversation; mute; hide channels; keywords; quiet hours',
      commands: ['notification:set'],
      changes: ['notificationSetting:updated', 'notificationSetting:deleted'],
    },
    {
      what: 'Reorder your servers and favourite channels, and collapse categories, on all your devices',
      commands: ['sidebar:place', 'sidebar:remove'],
      changes: ['sidebarList:updated'],
    },
  ],
  User: [{ what: 'Search', commands: ['user:search'] }],
  'Friend request': [
    {
      what: 'Create, read, update (accept, decline, note), delete',
      commands: [
        'friendRequest:create',
        'friendRequest:list',
        'friendRequest:update',
        'friendRequest:delete',
      ],
      changes: ['friendRequest:created', 'friendRequest:updated', 'friendRequest:deleted'],
    },
  ],
  Friendship: [
    {
      what: 'Create, read, update (nickname, favourite), delete',
      commands: ['friendship:create', 'friendship:list', 'friendship:update', 'friendship:delete'],
      changes: ['friendship:created', 'friendship:updated', 'friendship:deleted'],
    },
    {
      what: 'Block, and unblock',
      commands: ['block:create', 'block:list', 'block:delete'],
      changes: ['block:created', 'block:deleted'],
    },
  ],
  Conversation: [
    {
      what: 'Create, read, accept, update, delete',
      commands: [
        'conversation:create',
        'conversation:list',
        'conversation:open',
        'conversation:accept',
        'conversation:close',
        'conversation:update',
        'conversation:delete',
      ],
      changes: [
        'conversation:created',
        'conversation:updated',
        'conversation:left',
        'conversation:removed',
      ],
    },
  ],
  'Direct message': [
    {
      what: 'Create, read, update, delete: messages whose timeline is a conversation',
      commands: ['message:send', 'message:list', 'message:edit', 'message:delete'],
      changes: ['message:created', 'message:updated', 'message:deleted'],
    },
  ],
};
