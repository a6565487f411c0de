import type { fileCommands } from '../../shared/files.ts';
import type { messageCommands } from '../../shared/messages.ts';
import type { notificationCommands } from '../../shared/notifications.ts';
import type { pinCommands } from '../../shared/pins.ts';
import type { previewCommands } from '../../shared/previews.ts';
import type { CommandName, Input } from '../../shared/protocol.ts';
import type { reactionCommands } from '../../shared/reactions.ts';
import type { readCommands } from '../../shared/reads.ts';
import type { searchCommands } from '../../shared/search.ts';
import type { typingCommands } from '../../shared/typing.ts';
import {
  administrators,
  forbiddenMembers,
  everyone,
  hidden,
  serverMembers,
  granted,
  forbiddenInGroup,
  noOne,
  readers,
  conflictInGroup,
  registered,
  groupMembers,
  writers,
  type Cells,
} from './kinds.ts';
import { everywhere } from './places.ts';
import { keeping, type PermissionRow, type PermissionRows } from './row.ts';
import { finished, saidAndDeleted, say, uploaded } from './scene.ts';

/** Rows for an own message and another person's, in each kind of place. */
const ofMessages = <C extends CommandName>(
  input: (which: { messageId: string }) => Input<C>,
  cells: Record<'others' | 'othersInGroup' | 'hidden' | 'ownInPair', Cells> & { own?: Cells },
): PermissionRow<C>[] => [
  {
    what: 'own',
    inPlace: ({ own }) => input({ messageId: own.id }),
    cells: cells.own ?? serverMembers,
  },
  {
    what: 'another’s',
    inPlace: ({ theirs }) => input({ messageId: theirs.id }),
    cells: cells.others,
  },
  {
    what: 'another’s, in a private channel without oneself',
    inPlace: async ({ outside }, { other }) =>
      input({ messageId: (await say(other, await outside())).id }),
    cells: cells.hidden,
  },
  {
    what: 'own, in a group',
    inGroup: ({ own }) => input({ messageId: own.id }),
    cells: groupMembers,
  },
  {
    what: 'another’s, in a group',
    inGroup: ({ theirs }) => input({ messageId: theirs.id }),
    cells: cells.othersInGroup,
  },
  {
    what: 'own, in a conversation of two',
    inPair: ({ own }) => input({ messageId: own.id }),
    cells: cells.ownInPair,
  },
];

/** `ofMessages`, for commands that change a message and refuse deleted ones. */
const changesOf = <C extends CommandName>(
  ...[input, cells]: Parameters<typeof ofMessages<C>>
): PermissionRow<C>[] =>
  keeping([
    ...ofMessages(input, cells),
    {
      what: 'own that is deleted, in a group',
      inGroup: async ({ conversationId }, { caller }) =>
        input({ messageId: await saidAndDeleted(caller, conversationId) }),
      cells: conflictInGroup,
    },
  ]);

const announced = <C extends CommandName>(
  input: (which: { messageId: string }) => Input<C>,
  cells: Cells,
): PermissionRow<C>[] => [
  {
    what: 'own, in an announcement channel',
    inPlace: async ({ announced }) => input({ messageId: (await announced()).messageId }),
    cells,
  },
];

/** A file that the caller uploads where they can, one of the other, and a missing one. */
const ofFiles = <C extends CommandName>(
  input: (which: { fileId: string }) => Input<C>,
): PermissionRow<C>[] =>
  keeping([
    {
      what: 'own, in a channel',
      inPlace: async ({ channelId }, { caller }) =>
        input(await uploaded(caller, { timelineId: channelId })),
      cells: serverMembers,
    },
    {
      what: 'own, in a group',
      inGroup: async ({ conversationId }, { caller }) =>
        input(await uploaded(caller, { timelineId: conversationId })),
      cells: groupMembers,
    },
    {
      what: 'another’s, in a channel',
      inPlace: async ({ channelId }, { other }) =>
        input({ fileId: (await finished(other, { timelineId: channelId })).id }),
      cells: noOne,
    },
  ]);

/** Reactions across a block are refused in both directions. */
const apart = (cells: Cells): Cells => ({ ...cells, blocked: 'forbidden', blocker: 'forbidden' });

export const timelineRows: PermissionRows<
  keyof (typeof messageCommands &
    typeof reactionCommands &
    typeof fileCommands &
    typeof pinCommands &
    typeof previewCommands &
    typeof readCommands &
    typeof notificationCommands &
    typeof searchCommands &
    typeof typingCommands)
> = {
  'message:send': [
    ...everywhere<Input<'message:send'>>((where) => ({ ...where, body: 'Hello' }), writers),
    ...everywhere<Input<'message:send'>>(
      async (where, { caller }) => ({ ...where, files: [await finished(caller, where)] }),
      writers,
      'with a file, ',
    ),
  ],
  'message:list': everywhere((where) => where, readers),
  'message:edit': [
    ...changesOf<'message:edit'>((which) => ({ ...which, body: 'New' }), {
      others: forbiddenMembers,
      othersInGroup: forbiddenInGroup,
      hidden: { ...noOne, owner: 'forbidden' },
      ownInPair: writers,
    }),
    ...announced<'message:edit'>((which) => ({ ...which, body: 'New' }), granted),
  ],
  'message:delete': [
    ...ofMessages<'message:delete'>((which) => which, {
      others: granted,
      othersInGroup: forbiddenInGroup,
      hidden,
      // A person who can no longer write can still delete their own messages.
      ownInPair: readers,
    }),
    ...announced<'message:delete'>((which) => which, serverMembers),
  ],
  'message:react': [
    ...changesOf<'message:react'>((which) => ({ ...which, emoji: '👍', on: true }), {
      others: apart(serverMembers),
      othersInGroup: apart(groupMembers),
      hidden,
      ownInPair: writers,
    }),
    ...announced<'message:react'>((which) => ({ ...which, emoji: '👍', on: true }), serverMembers),
  ],
  'reaction:list': ofMessages((which) => ({ ...which, emoji: '👍' }), {
    others: serverMembers,
    othersInGroup: groupMembers,
    hidden,
    ownInPair: readers,
  }),
  'reaction:mine': everywhere((where) => ({ ...where, messageIds: [] }), readers),
  'file:begin': [
    ...everywhere<Input<'file:begin'>>(
      (where) => ({ ...where, name: 'tea.png', size: 3 }),
      writers,
    ),
    ...(['avatar', 'icon', 'emoji'] as const).map((purpose) => ({
      what: `for an ${purpose}`,
      input: () => ({ purpose, name: 'ann.png', size: 3 }),
      cells: registered,
    })),
  ],
  'file:chunk': ofFiles((file) => ({ ...file, offset: 0, bytes: Buffer.from('tea') })),
  'file:finish': ofFiles((file) => file),
  'file:delete': ofFiles((file) => file),
  'file:allowance': [{ input: () => ({}), cells: everyone }],
  'file:usage': [{ input: () => ({}), cells: administrators }],
  'message:pin': changesOf((which) => ({ ...which, on: true }), {
    own: granted,
    others: granted,
    othersInGroup: groupMembers,
    hidden,
    ownInPair: writers,
  }),
  'pin:list': everywhere((where) => where, readers),
  'preview:remove': changesOf<'preview:remove'>(
    (which) => ({ ...which, link: 'https://example.org/' }),
    {
      others: forbiddenMembers,
      othersInGroup: forbiddenInGroup,
      hidden: { ...noOne, owner: 'forbidden' },
      ownInPair: readers,
    },
  ),
  'message:search': [
    ...everywhere<Input<'message:search'>>((where) => ({ ...where, query: 'tea' }), readers),
    { what: 'everywhere', input: () => ({ query: 'tea' }), cells: everyone },
    {
      what: 'in a server',
      inPlace: ({ server }) => ({ query: 'tea', serverId: server.id }),
      cells: serverMembers,
    },
  ],
  'read:update': everywhere((where) => ({ ...where, position: 1 }), readers),
  'read:mark': everywhere((where) => ({ ...where, position: 1 }), readers),
  'notification:set': [
    ...everywhere<Input<'notification:set'>>(
      ({ timelineId }) => ({ targetId: timelineId, level: 'nothing' }),
      readers,
    ),
    ...keeping<'notification:set'>([
      {
        what: 'of a server',
        inPlace: ({ server }) => ({ targetId: server.id, muted: {} }),
        cells: serverMembers,
      },
      {
        what: 'of everything',
        input: ({ caller }) => ({ targetId: caller.id, keywords: ['tea'] }),
        cells: everyone,
      },
      {
        what: 'of everything that is somebody else’s',
        input: ({ other }) => ({ targetId: other.id, level: 'all' }),
        cells: noOne,
      },
      {
        what: 'hiding a channel',
        inPlace: ({ channelId }) => ({ targetId: channelId, hidden: true }),
        cells: serverMembers,
      },
      {
        what: 'hiding a private channel without oneself',
        inPlace: async ({ outside }) => ({ targetId: await outside(), hidden: true }),
        cells: hidden,
      },
      {
        what: 'of a person',
        input: ({ other }) => ({ targetId: other.id, exempt: true }),
        cells: everyone,
      },
    ]),
  ],
  'typing:set': everywhere((where) => where, writers),
};
