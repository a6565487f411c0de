import { v7 } from 'uuid';
import type { conversationCommands } from '../../shared/conversations.ts';
import { everyone, noOne, readers, groupMembers, type Cells } from './kinds.ts';
import type { PermissionRows } from './row.ts';
import type { Group } from './scene.ts';

const it = ({ conversationId }: Group) => ({ conversationId });
const inOneOfTwo = 'of two';
/** A person who blocks the caller is treated as missing. */
const withOther: Cells = { ...everyone, blocked: 'not_found', blocker: 'conflict' };

export const conversationRows: PermissionRows<keyof typeof conversationCommands> = {
  'conversation:create': [
    {
      what: 'with somebody of the same server',
      input: ({ other }) => ({ userIds: [other.id] }),
      fresh: true,
      cells: withOther,
    },
    {
      what: 'with some of the same server',
      input: ({ other, banned }) => ({ userIds: [other.id, banned.id] }),
      cells: { ...withOther, guest: 'forbidden' },
    },
    {
      what: 'with somebody who is in no server',
      input: ({ hermit }) => ({ userIds: [hermit.id] }),
      cells: { ...noOne, friend: 'allowed' },
    },
    { what: 'with nobody there is', input: () => ({ userIds: [v7()] }), cells: noOne },
  ],
  'conversation:list': [{ input: () => ({}), cells: everyone }],
  'conversation:open': [
    { inGroup: it, cells: groupMembers },
    { what: inOneOfTwo, inPair: it, cells: readers },
  ],
  'conversation:accept': [
    { inGroup: it, cells: groupMembers },
    { what: inOneOfTwo, inPair: it, cells: readers },
  ],
  'conversation:close': [
    { inGroup: it, cells: groupMembers },
    { what: inOneOfTwo, inPair: it, cells: readers },
  ],
  'conversation:update': [
    {
      what: 'name',
      inGroup: (group) => ({ ...it(group), name: 'Us' }),
      cells: groupMembers,
    },
    {
      what: 'somebody in',
      inGroup: (group, { founder }) => ({ ...it(group), addUserIds: [founder.id] }),
      cells: groupMembers,
    },
    {
      what: 'somebody in, who is in no server',
      inGroup: (group, { hermit }) => ({ ...it(group), addUserIds: [hermit.id] }),
      cells: noOne,
    },
    {
      what: 'somebody out',
      inGroup: (group, { other }) => ({ ...it(group), removeUserIds: [other.id] }),
      cells: {
        ...noOne,
        blocked: 'forbidden',
        blocker: 'forbidden',
        participant: 'forbidden',
        'founder of a group': 'allowed',
      },
    },
    {
      what: 'somebody into one of two',
      inPair: (pair, { founder }) => ({ ...it(pair), addUserIds: [founder.id] }),
      cells: {
        ...noOne,
        friend: 'conflict',
        blocked: 'conflict',
        blocker: 'conflict',
        participant: 'conflict',
      },
    },
  ],
  'conversation:delete': [
    { inGroup: it, cells: groupMembers },
    { what: inOneOfTwo, inPair: it, cells: readers },
  ],
};
