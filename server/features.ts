/**
 * Everything that Parley can do, joined: which function answers each command, what each kind of room is made of,
 * and who may enter it. A command without a handler, or a slice without a loader, does not compile. Only app.ts
 * imports this and hands it in, so that no feature depends on all the others.
 */
import { disjoint } from '../shared/contract.ts';
import type { CommandName, VolatileEvent } from '../shared/protocol.ts';
import { accountHandlers } from './accounts/commands.ts';
import { credentialOf, identifyCookie, identifyToken } from './accounts/identity.ts';
import { isSessionLive } from './accounts/sessions.ts';
import { greetStranger } from './accounts/strangers.ts';
import { instanceRoleOf } from './administration/access.ts';
import { administrationHandlers } from './administration/commands.ts';
import { auditHandlers } from './audit/commands.ts';
import { botHandlers } from './bots/commands.ts';
import { blockHandlers } from './blocks/commands.ts';
import { blocksOf } from './blocks/slices.ts';
import { categoryHandlers } from './categories/commands.ts';
import { categoriesIn } from './categories/slices.ts';
import { privateMemberIds } from './channels/access.ts';
import { channelHandlers } from './channels/commands.ts';
import { channelsIn, privateChannelsOf } from './channels/slices.ts';
import type { Handlers } from './command.ts';
import { participantsOf } from './conversations/access.ts';
import { conversationHandlers } from './conversations/commands.ts';
import { partnersAmong, partnersSeenBy } from './conversations/presence.ts';
import { conversationsOf } from './conversations/slices.ts';
import { emojiHandlers } from './emoji/commands.ts';
import { emojiIn } from './emoji/slices.ts';
import { fileHandlers } from './files/commands.ts';
import { friendHandlers } from './friends/commands.ts';
import { friendsAmong, friendsOf } from './friends/friends.ts';
import { friendRequestsOf, friendshipsOf } from './friends/slices.ts';
import { inviteHandlers } from './invites/commands.ts';
import { localTimeHandlers } from './local-time/commands.ts';
import { accessVersionsOfMember } from './members/access.ts';
import { memberHandlers } from './members/commands.ts';
import { standingBeside } from './members/listed.ts';
import { membersIn } from './members/slices.ts';
import { timelinesSeenBy } from './messages/access.ts';
import { messageHandlers } from './messages/commands.ts';
import { changesSince, newestMessages } from './messages/slices.ts';
import type { Fills } from './database/migrate.ts';
import { keepAllNames } from './people/name-search.ts';
import { keepAllChannelNames } from './channels/search.ts';
import { keepAllNicknames } from './members/called.ts';
import type { Clock } from './node/clock.ts';
import { notificationHandlers } from './notifications/commands.ts';
import { notificationSettingsOf } from './notifications/slices.ts';
import { pinHandlers } from './pins/commands.ts';
import { findPeople, peopleMentioned } from './people/people.ts';
import { presenceHandlers } from './presence/commands.ts';
import { chosenStatus } from './presence/status.ts';
import { pushHandlers } from './push/commands.ts';
import { reactionHandlers } from './reactions/commands.ts';
import { readHandlers } from './reads/commands.ts';
import { badgesFor, fittingBadges, notAtEnd, readUnread, saidSince } from './reads/reads.ts';
import { searchHandlers } from './search/commands.ts';
import { serversSeenBy } from './servers/access.ts';
import { serverHandlers } from './servers/commands.ts';
import { serverItself, serversOf } from './servers/slices.ts';
import type { RoomFeatures } from './realtime/room-features.ts';
import type { ConnectionFeatures } from './connection/connection-features.ts';
import { syncHandlers } from './connection/sync.ts';
import { transferHandlers } from './transfers/commands.ts';
import { transfersOf } from './transfers/slices.ts';
import type { VolatilePace } from './realtime/publish.ts';
import { typingHandlers } from './typing/commands.ts';
import { openTypingPace } from './typing/typing.ts';

const handlers: Handlers<CommandName> = disjoint([
  accountHandlers,
  serverHandlers,
  transferHandlers,
  inviteHandlers,
  channelHandlers,
  memberHandlers,
  messageHandlers,
  reactionHandlers,
  fileHandlers,
  pinHandlers,
  readHandlers,
  notificationHandlers,
  pushHandlers,
  searchHandlers,
  syncHandlers,
  botHandlers,
  presenceHandlers,
  localTimeHandlers,
  typingHandlers,
  conversationHandlers,
  friendHandlers,
  blockHandlers,
  categoryHandlers,
  emojiHandlers,
  auditHandlers,
  administrationHandlers,
]);

const rooms: RoomFeatures = {
  authorize: {
    user: async (_db, { user }, ids) =>
      new Map(ids.filter((id) => id === user.id).map((id) => [id, undefined])),
    server: serversSeenBy,
    activity: serversSeenBy,
    timeline: timelinesSeenBy,
  },
  loadSlice: {
    user: {
      servers: serversOf,
      transfers: transfersOf,
      privateChannels: privateChannelsOf,
      conversations: conversationsOf,
      friendships: friendshipsOf,
      friendRequests: friendRequestsOf,
      blocks: blocksOf,
      notificationSettings: notificationSettingsOf,
    },
    server: {
      servers: serverItself,
      categories: categoriesIn,
      channels: channelsIn,
      members: membersIn,
      emoji: emojiIn,
    },
    timeline: { messages: newestMessages },
  },
  people: { find: findPeople, mentioned: peopleMentioned },
  changesSince: { timeline: changesSince },
  ephemeral: {
    async user({ presence }, db, id, { among } = {}) {
      if (among?.length === 0) return () => ({ presence: {}, presenceVersion: presence.version() });
      const [friends = [], partners = []] = await Promise.all(
        among
          ? [
              friendsAmong(db, [id], among).then((friends) => friends.get(id)),
              partnersAmong(db, [id], among).then((partners) => partners.get(id)),
            ]
          : [friendsOf(db, id), partnersSeenBy(db, id)],
      );
      return () => ({
        presence: presence.statuses([...friends, ...partners]),
        presenceVersion: presence.version(),
      });
    },
    server: (app, _db, id, of) => standingBeside(app, id, of),
  },
  activity: {
    accessVersionsOf: accessVersionsOfMember,
    saidSince,
    audience: {
      async channel(db, id) {
        const privateMembers = await privateMemberIds(db, id);
        // A private channel always has its owner.
        return privateMembers.length > 0 ? privateMembers : notAtEnd(db, id);
      },
      conversation: participantsOf,
    },
  },
};

const connection: ConnectionFeatures = {
  identity: { credentialOf, byToken: identifyToken, byCookie: identifyCookie },
  greetStranger,
  isSessionLive,
  findPeople,
  instanceRoleOf,
  chosenStatus,
  badges: { read: readUnread, fitting: fittingBadges, of: badgesFor },
};

/** How fast a node lets out what people do at this moment. */
const openPaces = (clock: Clock): { [E in VolatileEvent]: VolatilePace<E> } => ({
  typing: openTypingPace(clock),
});

/** What app.ts hands in. */
export interface Features {
  handlers: Handlers<CommandName>;
  rooms: RoomFeatures;
  connection: ConnectionFeatures;
  openPaces: typeof openPaces;
}

export const features: Features = { handlers, rooms, connection, openPaces };

export const fills: Fills = {
  peopleNames: keepAllNames,
  nicknames: keepAllNicknames,
  channelNames: keepAllChannelNames,
};
