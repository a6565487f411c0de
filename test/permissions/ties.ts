import type { blockCommands } from '../../shared/blocks.ts';
import type { friendCommands } from '../../shared/friends.ts';
import { everyone, noOne, registered, type Cells } from './kinds.ts';
import type { PermissionRows } from './row.ts';
import { asked, type Scene } from './scene.ts';

const other = ({ other: { id } }: Scene) => ({ userId: id });
/** A request of the other. A friend has answered it already, and a block has removed it. */
const askedOfMe = ({ caller, other }: Scene) => asked(other, caller);
/** A request of the caller. A guest, who cannot have any, names another person's. */
const askedByMe = ({ kind, caller, other, others: { requestId } }: Scene) =>
  kind === 'guest' ? { requestId } : asked(caller, other);
const askedByOthers = ({ others: { requestId } }: Scene) => ({ requestId });

async function friendsWithMe(scene: Scene): Promise<{ friendshipId: string }> {
  await askedOfMe(scene);
  const { friendship } = await scene.caller.send('friendship:create', other(scene));
  return { friendshipId: friendship.id };
}
const friendsAmongOthers = ({ others: { friendshipId } }: Scene) => ({ friendshipId });

/** Only a request without an answer and without a block still exists. */
const pending = (cells: Cells): Cells => ({
  ...cells,
  friend: 'not_found',
  blocked: 'not_found',
  blocker: 'not_found',
});
const unlessBlocked: Cells = { ...everyone, blocked: 'not_found', blocker: 'not_found' };
const forbidden = Object.fromEntries(
  Object.keys(everyone).map((kind) => [kind, 'forbidden']),
) as Cells;

export const tieRows: PermissionRows<keyof (typeof friendCommands & typeof blockCommands)> = {
  'friendRequest:create': [
    {
      input: other,
      cells: { ...registered, friend: 'conflict', blocked: 'not_found', blocker: 'conflict' },
    },
    {
      what: 'to who has asked',
      input: async (scene) => (await askedOfMe(scene), other(scene)),
      fresh: true,
      cells: { ...registered, friend: 'conflict', blocked: 'not_found', blocker: 'conflict' },
    },
  ],
  'friendRequest:list': [{ input: () => ({}), cells: everyone }],
  'friendRequest:update': [
    {
      what: 'accepting what one was asked',
      input: async (scene) => ({ ...(await askedOfMe(scene)), status: 'accepted' }),
      fresh: true,
      cells: pending(everyone),
    },
    {
      what: 'declining what one was asked',
      input: async (scene) => ({ ...(await askedOfMe(scene)), status: 'declined' }),
      fresh: true,
      cells: pending(everyone),
    },
    {
      what: 'accepting one’s own',
      input: async (scene) => ({ ...(await askedByMe(scene)), status: 'accepted' }),
      fresh: true,
      cells: pending({ ...forbidden, guest: 'not_found' }),
    },
    {
      what: 'accepting another’s',
      input: (scene) => ({ ...askedByOthers(scene), status: 'accepted' }),
      cells: noOne,
    },
    {
      what: 'note of one’s own',
      input: async (scene) => ({ ...(await askedByMe(scene)), note: 'Hello' }),
      fresh: true,
      cells: pending({ ...everyone, guest: 'not_found' }),
    },
    {
      what: 'note of what one was asked',
      input: async (scene) => ({ ...(await askedOfMe(scene)), note: 'Hello' }),
      fresh: true,
      cells: pending(forbidden),
    },
  ],
  'friendRequest:delete': [
    {
      what: 'one’s own',
      input: askedByMe,
      fresh: true,
      cells: pending({ ...everyone, guest: 'not_found' }),
    },
    { what: 'what one was asked', input: askedOfMe, fresh: true, cells: pending(forbidden) },
    { what: 'another’s', input: askedByOthers, cells: noOne },
  ],
  'friendship:list': [{ input: () => ({}), cells: everyone }],
  'friendship:create': [
    {
      what: 'with who has asked',
      input: async (scene) => (await askedOfMe(scene), other(scene)),
      fresh: true,
      cells: unlessBlocked,
    },
    { what: 'with who has not', input: other, cells: { ...noOne, friend: 'allowed' } },
  ],
  'friendship:update': [
    {
      what: 'one’s own',
      input: async (scene) => ({ ...(await friendsWithMe(scene)), nickname: 'Nick' }),
      fresh: true,
      cells: unlessBlocked,
    },
    {
      what: 'another’s',
      input: (scene) => ({ ...friendsAmongOthers(scene), nickname: 'Nick' }),
      cells: noOne,
    },
  ],
  'friendship:delete': [
    { what: 'one’s own', input: friendsWithMe, fresh: true, cells: unlessBlocked },
    { what: 'another’s', input: friendsAmongOthers, cells: noOne },
  ],
  'block:create': [
    { input: other, cells: everyone },
    {
      what: 'of a friend',
      input: async (scene) => (await friendsWithMe(scene), other(scene)),
      fresh: true,
      cells: everyone,
    },
    {
      what: 'of oneself',
      input: ({ caller }) => ({ userId: caller.id }),
      cells: Object.fromEntries(Object.keys(everyone).map((kind) => [kind, 'conflict'])) as Cells,
    },
  ],
  'block:list': [{ input: () => ({}), cells: everyone }],
  'block:delete': [{ input: other, cells: { ...noOne, blocker: 'allowed' } }],
};
