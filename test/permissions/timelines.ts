/** Of what is said, in all places where something is: channels, groups, and conversations of two. */
import { v7 } from 'uuid';
import type { fileCommands } from '../../shared/files.ts';
import type { messageCommands } from '../../shared/messages.ts';
import type { pinCommands } from '../../shared/pins.ts';
import type { CommandName, Input } from '../../shared/protocol.ts';
import type { reactionCommands } from '../../shared/reactions.ts';
import type { readCommands } from '../../shared/reads.ts';
import type { searchCommands } from '../../shared/search.ts';
import type { typingCommands } from '../../shared/typing.ts';
import {
  bystanders,
  everyone,
  hidden,
  insiders,
  keepers,
  keptFrom,
  noOne,
  readers,
  talkers,
  writers,
  type Cells,
} from './kinds.ts';
import { keeping, type Row, type Rows } from './row.ts';
import { say } from './scene.ts';
import type { Person } from '../support/person.ts';

/** The same in a channel, in two private ones, in a group and in a pair. */
const everywhere = <C extends CommandName>(
  input: (where: { timelineId: string }) => Input<C>,
  inPairs: Cells,
): Row<C>[] =>
  keeping([
    {
      what: 'in a channel',
      inPlace: ({ channelId }) => input({ timelineId: channelId }),
      cells: insiders,
    },
    {
      what: 'in a private channel',
      inPlace: async ({ inside }) => input({ timelineId: await inside() }),
      cells: insiders,
    },
    {
      what: 'in a private channel without oneself',
      inPlace: async ({ outside }) => input({ timelineId: await outside() }),
      cells: hidden,
    },
    {
      what: 'in a group',
      inGroup: ({ conversationId }) => input({ timelineId: conversationId }),
      cells: talkers,
    },
    {
      what: 'in a conversation of two',
      inPair: ({ conversationId }) => input({ timelineId: conversationId }),
      cells: inPairs,
    },
  ]);

/** One's own message and another's, in all of these. */
const ofMessages = <C extends CommandName>(
  input: (which: { messageId: string }) => Input<C>,
  cells: Record<'others' | 'othersInGroup' | 'hidden' | 'ownInPair', Cells> & { own?: Cells },
): Row<C>[] => [
  {
    what: 'own',
    inPlace: ({ own }) => input({ messageId: own.id }),
    cells: cells.own ?? insiders,
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
    cells: talkers,
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

/** A file that the caller uploads where they can talk, one of the other's, and one of none. */
const ofFiles = <C extends CommandName>(input: (which: { fileId: string }) => Input<C>): Row<C>[] =>
  keeping([
    {
      what: 'own, in a channel',
      inPlace: async ({ channelId }, { caller }) => input(await uploaded(caller, channelId)),
      cells: insiders,
    },
    {
      what: 'own, in a group',
      inGroup: async ({ conversationId }, { caller }) =>
        input(await uploaded(caller, conversationId)),
      cells: talkers,
    },
    {
      what: 'another’s, in a channel',
      inPlace: async ({ channelId }, { other }) => input(await uploaded(other, channelId)),
      cells: noOne,
    },
  ]);

/** Its bytes are there. Of somebody who may not upload there, none. */
async function uploaded(person: Person, timelineId: string): Promise<{ fileId: string }> {
  const begun = await person
    .send('file:begin', { timelineId, name: 'tea.png', size: 3 })
    .catch(() => ({ fileId: v7() }));
  const chunk = { fileId: begun.fileId, offset: 0, bytes: Buffer.from('tea') };
  await person.send('file:chunk', chunk).catch(() => undefined);
  return { fileId: begun.fileId };
}

/** Nobody reacts to whom they block, nor to who blocks them. */
const apart = (cells: Cells): Cells => ({ ...cells, blocked: 'forbidden', blocker: 'forbidden' });

export const timelineRows: Rows<
  keyof (typeof messageCommands &
    typeof reactionCommands &
    typeof fileCommands &
    typeof pinCommands &
    typeof readCommands &
    typeof searchCommands &
    typeof typingCommands)
> = {
  'message:send': everywhere((where) => ({ ...where, body: 'Hello' }), writers),
  'message:list': everywhere((where) => where, readers),
  'message:edit': keeping(
    ofMessages((which) => ({ ...which, body: 'New' }), {
      others: bystanders,
      othersInGroup: keptFrom,
      hidden: { ...noOne, owner: 'forbidden' },
      ownInPair: writers,
    }),
  ),
  'message:delete': ofMessages((which) => which, {
    others: keepers,
    othersInGroup: keptFrom,
    hidden,
    // Whoever may say nothing more may still take back what they said.
    ownInPair: readers,
  }),
  'message:react': keeping(
    ofMessages((which) => ({ ...which, emoji: '👍', on: true }), {
      others: apart(insiders),
      othersInGroup: apart(talkers),
      hidden,
      ownInPair: writers,
    }),
  ),
  'reaction:list': ofMessages((which) => ({ ...which, emoji: '👍' }), {
    others: insiders,
    othersInGroup: talkers,
    hidden,
    ownInPair: readers,
  }),
  'reaction:mine': everywhere((where) => ({ ...where, messageIds: [] }), readers),
  'file:begin': everywhere((where) => ({ ...where, name: 'tea.png', size: 3 }), writers),
  'file:chunk': ofFiles((file) => ({ ...file, offset: 0, bytes: Buffer.from('tea') })),
  'file:finish': ofFiles((file) => file),
  'file:delete': ofFiles((file) => file),
  'message:pin': keeping(
    ofMessages((which) => ({ ...which, on: true }), {
      own: keepers,
      others: keepers,
      othersInGroup: talkers,
      hidden,
      ownInPair: writers,
    }),
  ),
  'pin:list': everywhere((where) => where, readers),
  'message:search': [
    ...everywhere<'message:search'>((where) => ({ ...where, query: 'tea' }), readers),
    { what: 'everywhere', input: () => ({ query: 'tea' }), cells: everyone },
    {
      what: 'in a server',
      inPlace: ({ server }) => ({ query: 'tea', serverId: server.id }),
      cells: insiders,
    },
  ],
  'read:update': everywhere((where) => ({ ...where, position: 1 }), readers),
  'read:mark': everywhere((where) => ({ ...where, position: 1 }), readers),
  'typing:set': everywhere((where) => where, writers),
};
