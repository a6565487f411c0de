import { v7 } from 'uuid';
import type { auditCommands } from '../../shared/audit.ts';
import type { emojiCommands } from '../../shared/emoji.ts';
import type { inviteCommands } from '../../shared/invites.ts';
import type { joinRequestCommands } from '../../shared/join-requests.ts';
import type { memberCommands } from '../../shared/members.ts';
import type { roleCommands } from '../../shared/roles.ts';
import type { reportCommands } from '../../shared/reports.ts';
import type { serverCommands } from '../../shared/servers.ts';
import type { wordFilterCommands } from '../../shared/word-filter.ts';
import type { transferCommands } from '../../shared/transfers.ts';
import {
  conflictInGroup,
  everyone,
  hidden,
  serverMembers,
  granted,
  moderators,
  nobody,
  noOne,
  ownerOnly,
  registered,
  type Cells,
} from './kinds.ts';
import type { PermissionRows } from './row.ts';
import { newRole, openingRole, pictureOf, say, type SceneServer, type Scene } from './scene.ts';

/** Permitted, but the emoji or its picture is missing. */
const emojiMissing: Cells = {
  ...granted,
  'member with a role': 'not_found',
  moderator: 'not_found',
  owner: 'not_found',
};
const it = ({ server }: SceneServer) => ({ serverId: server.id });
const onOther = (place: SceneServer, { other }: Scene) => ({ ...it(place), userId: other.id });
const byCode = ({ code }: SceneServer) => ({ code });

/** Offers the server if possible. A guest, the owner and a non-member cannot be offered it. */
const offeredTo = (whom: 'caller' | 'other') => async (place: SceneServer, scene: Scene) => {
  const { owner } = place;
  const which = it(place);
  await owner.send('server:declineTransfer', which).catch(unlessRefused);
  await owner.send('server:transfer', { ...which, userId: scene[whom].id }).catch(unlessRefused);
  return which;
};
function unlessRefused({ code }: Error & { code?: string }) {
  if (code !== 'conflict' && code !== 'not_found') throw new Error(code);
}
const whomOffered: Cells = {
  ...noOne,
  member: 'allowed',
  'member with a role': 'allowed',
  moderator: 'allowed',
  blocked: 'allowed',
  blocker: 'allowed',
};

/** A server of the other that approves new members, and its invite. */
async function openApproving({ other }: Scene, { guests = true } = {}) {
  const { server } = await other.send('server:create', { name: 'Approving' });
  const serverId = server.id;
  await other.send('server:update', { serverId, approval: true });
  return { serverId, code: (await other.send('invite:create', { serverId, guests })).invite.code };
}
/** Someone who asked to join the place. */
async function asking({ owner, server, code }: SceneServer, { newcomer }: Scene) {
  const serverId = server.id;
  await owner.send('server:update', { serverId, approval: true });
  const person = await newcomer();
  await person.send('joinRequest:create', { code });
  // The request stays, and others can join the same place.
  await owner.send('server:update', { serverId, approval: false });
  person.close();
  return { serverId, userId: person.id };
}

export const serverRows: PermissionRows<
  keyof (typeof serverCommands &
    typeof transferCommands &
    typeof inviteCommands &
    typeof joinRequestCommands &
    typeof memberCommands &
    typeof reportCommands &
    typeof wordFilterCommands &
    typeof auditCommands &
    typeof emojiCommands &
    typeof roleCommands)
> = {
  'server:create': [{ input: () => ({ name: 'Mine' }), cells: registered }],
  'server:list': [{ input: () => ({}), cells: everyone }],
  'emoji:create': [
    {
      what: 'of a picture of another',
      keeps: true,
      inPlace: async (place, { other }) => ({
        ...{ ...it(place), name: 'party' },
        fileId: await pictureOf(other, 'emoji'),
      }),
      cells: emojiMissing,
    },
  ],
  'emoji:delete': [
    {
      what: 'that is none',
      keeps: true,
      inPlace: (place) => ({ ...it(place), emojiId: v7() }),
      cells: emojiMissing,
    },
  ],
  'role:create': [
    { keeps: true, inPlace: (place) => ({ ...it(place), name: v7().slice(4) }), cells: ownerOnly },
  ],
  'role:update': [
    {
      keeps: true,
      inPlace: async (place) => ({ ...it(place), roleId: await newRole(place), color: 'red' }),
      cells: ownerOnly,
    },
  ],
  'role:delete': [
    {
      keeps: true,
      inPlace: async (place) => ({ ...it(place), roleId: await newRole(place) }),
      cells: ownerOnly,
    },
  ],
  'role:give': [
    {
      what: 'that opens a channel with the caller',
      keeps: true,
      inPlace: async (place, scene) => ({
        ...onOther(place, scene),
        roleId: await openingRole(place, await place.inside()),
      }),
      cells: moderators,
    },
    {
      what: 'that opens a channel without the caller',
      keeps: true,
      inPlace: async (place, scene) => ({
        ...onOther(place, scene),
        roleId: await openingRole(place, await place.outside()),
      }),
      cells: ownerOnly,
    },
    {
      keeps: true,
      inPlace: async (place, scene) => ({
        ...onOther(place, scene),
        roleId: await newRole(place),
      }),
      cells: moderators,
    },
  ],
  'role:take': [
    {
      keeps: true,
      inPlace: async (place, scene) => ({
        ...onOther(place, scene),
        roleId: await newRole(place),
      }),
      cells: moderators,
    },
  ],
  'server:open': [{ inPlace: it, cells: serverMembers }],
  'server:update': [
    {
      what: 'name',
      keeps: true,
      inPlace: (place) => ({ ...it(place), name: 'New' }),
      cells: ownerOnly,
    },
    {
      what: 'no icon',
      keeps: true,
      inPlace: (place) => ({ ...it(place), icon: null }),
      cells: ownerOnly,
    },
    {
      what: 'message requests',
      inPlace: (place) => ({ ...it(place), messageRequests: true }),
      cells: ownerOnly,
    },
    {
      what: 'approval of new members',
      inPlace: (place) => ({ ...it(place), approval: true }),
      cells: ownerOnly,
    },
    {
      what: 'a door closed to guests',
      inPlace: (place) => ({ ...it(place), closedToGuests: true }),
      cells: ownerOnly,
    },
    {
      what: 'an icon of another',
      keeps: true,
      inPlace: async (place, { other }) => ({
        ...it(place),
        icon: await pictureOf(other, 'icon'),
      }),
      cells: { ...ownerOnly, owner: 'not_found' },
    },
    {
      what: 'default channel',
      inPlace: (place) => ({ ...it(place), defaultChannelId: place.channelId }),
      cells: ownerOnly,
    },
    {
      what: 'default channel, a private one',
      inPlace: async (place) => ({
        ...it(place),
        defaultChannelId: await place.inside(),
      }),
      cells: { ...ownerOnly, owner: 'conflict' },
    },
  ],
  'server:transfer': [{ inPlace: onOther, cells: ownerOnly }],
  'server:acceptTransfer': [
    {
      what: 'of what one is offered',
      inPlace: offeredTo('caller'),
      cells: { ...whomOffered, owner: 'allowed' },
    },
    { what: 'of what another is offered', inPlace: offeredTo('other'), cells: hidden },
  ],
  'server:declineTransfer': [
    { what: 'of what one is offered', inPlace: offeredTo('caller'), cells: whomOffered },
    { what: 'of what another is offered', inPlace: offeredTo('other'), cells: hidden },
  ],
  'server:delete': [{ inPlace: it, cells: ownerOnly }],
  'server:join': [
    { inPlace: byCode, cells: everyone },
    {
      what: 'by a link closed to guests',
      input: async ({ other }) => {
        const { server } = await other.send('server:create', { name: 'Closed' });
        const closed = { serverId: server.id, guests: false };
        return { code: (await other.send('invite:create', closed)).invite.code };
      },
      cells: registered,
    },
  ],
  'server:leave': [{ inPlace: it, cells: { ...serverMembers, owner: 'conflict' } }],
  'joinRequest:create': [
    { what: 'in a server that admits everyone', inPlace: byCode, cells: everyone },
    {
      what: 'in a server that approves new members',
      input: async (scene) => ({ code: (await openApproving(scene)).code }),
      cells: everyone,
    },
    {
      what: 'by a link closed to guests',
      input: async (scene) => ({ code: (await openApproving(scene, { guests: false })).code }),
      cells: registered,
    },
  ],
  'joinRequest:mine': [{ input: () => ({}), cells: everyone }],
  'joinRequest:cancel': [
    {
      what: 'one’s own',
      input: async (scene) => {
        const { serverId, code } = await openApproving(scene);
        await scene.caller.send('joinRequest:create', { code });
        return { serverId };
      },
      cells: everyone,
    },
    { what: 'without one', keeps: true, inPlace: it, cells: noOne },
  ],
  'joinRequest:list': [{ inPlace: it, cells: granted }],
  'joinRequest:accept': [{ inPlace: asking, cells: granted }],
  'joinRequest:decline': [
    {
      inPlace: async (place, scene) => {
        const { serverId, userId } = await asking(place, scene);
        return { serverId, userIds: [userId] };
      },
      cells: granted,
    },
  ],
  'invite:create': [{ inPlace: it, cells: { ...serverMembers, guest: 'forbidden' } }],
  'invite:list': [{ inPlace: it, cells: granted }],
  'invite:get': [{ inPlace: byCode, cells: everyone }],
  'invite:delete': [{ what: 'another’s', inPlace: byCode, cells: granted }],
  'invite:pause': [{ inPlace: (place) => ({ ...it(place), seconds: 0 }), cells: granted }],
  'member:list': [{ inPlace: it, cells: serverMembers }],
  'member:search': [{ input: () => ({ query: 'Ann' }), cells: everyone }],
  'member:update': [
    {
      what: 'own nickname',
      keeps: true,
      inPlace: (place, { caller }) => ({
        ...it(place),
        userId: caller.id,
        nickname: 'Nick',
      }),
      cells: serverMembers,
    },
    {
      what: 'another’s nickname',
      keeps: true,
      inPlace: (place, scene) => ({ ...onOther(place, scene), nickname: 'Nick' }),
      cells: granted,
    },
    {
      what: 'role',
      inPlace: (place, scene) => ({
        ...onOther(place, scene),
        role: 'moderator' as const,
      }),
      cells: ownerOnly,
    },
  ],
  'member:remove': [{ inPlace: onOther, cells: granted }],
  'member:timeOut': [
    {
      inPlace: (place, scene) => ({ ...onOther(place, scene), seconds: 3_600 }),
      cells: granted,
    },
  ],
  'ban:create': [
    { inPlace: onOther, cells: granted },
    {
      what: 'for a reason and a time',
      inPlace: (place, scene) => ({ ...onOther(place, scene), reason: 'Spam', seconds: 3_600 }),
      cells: granted,
    },
    {
      what: 'with what they wrote',
      inPlace: (place, scene) => ({ ...onOther(place, scene), deleteMessages: 3_600 }),
      cells: granted,
    },
  ],
  'ban:createMany': [
    {
      inPlace: (place, scene) => {
        const { serverId, userId } = onOther(place, scene);
        return { serverId, userIds: [userId] };
      },
      cells: granted,
    },
  ],
  'member:newcomers': [{ inPlace: (place) => ({ ...it(place), seconds: 60 }), cells: granted }],
  'report:create': [
    {
      what: 'another’s message',
      keeps: true,
      inPlace: ({ theirs }) => ({ messageId: theirs.id, kind: 'spam' as const }),
      cells: serverMembers,
    },
    {
      what: 'another’s, in a private channel without oneself',
      inPlace: async ({ outside }, { other }) => ({
        ...{ messageId: (await say(other, await outside())).id, kind: 'spam' as const },
      }),
      cells: hidden,
    },
    {
      what: 'another’s, in a group',
      keeps: true,
      inGroup: ({ theirs }) => ({ messageId: theirs.id, kind: 'spam' as const }),
      cells: conflictInGroup,
    },
  ],
  'report:list': [{ inPlace: it, cells: granted }],
  'report:close': [
    {
      keeps: true,
      inPlace: (place) => ({ ...it(place), messageIds: [v7()], outcome: 'handled' as const }),
      cells: granted,
    },
  ],
  'wordFilter:get': [{ inPlace: it, cells: ownerOnly }],
  'wordFilter:set': [
    { inPlace: (place) => ({ ...it(place), words: ['darn', 'tea*'] }), cells: ownerOnly },
  ],
  'ban:list': [{ inPlace: it, cells: granted }],
  'audit:list': [
    { what: 'of a server', inPlace: it, cells: ownerOnly },
    // Allowed to the instance's owner: test/audit.
    { what: 'of everything', input: () => ({}), cells: nobody },
  ],
  'ban:delete': [
    {
      inPlace: async (place, { banned }) => {
        await place.ban();
        return { ...it(place), userId: banned.id };
      },
      cells: granted,
    },
  ],
};
