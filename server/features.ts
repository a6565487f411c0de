/**
 * The list of features. A command without a handler, or a slice without a loader, does not compile. Only app.ts and
 * open-node.ts import this, so that no feature depends on all the others.
 */
import { disjoint } from '../shared/contract.ts';
import type { CommandName } from '../shared/protocol.ts';
import { accountHandlers } from './accounts/commands.ts';
import { credentialOf, identifyCookie, identifyToken } from './accounts/identity.ts';
import { isSessionLive, sweepSessions } from './accounts/sessions.ts';
import { greetStranger } from './accounts/strangers.ts';
import { instanceRightsOf } from './administration/access.ts';
import { watchNodes } from './administration/nodes.ts';
import { administrationHandlers } from './administration/commands.ts';
import { auditHandlers } from './audit/commands.ts';
import { auditRemovals } from './audit/removals.ts';
import { botHandlers } from './bots/commands.ts';
import { blockHandlers } from './blocks/commands.ts';
import { blocksOf } from './blocks/slices.ts';
import { categoryHandlers } from './categories/commands.ts';
import { categoriesIn } from './categories/slices.ts';
import { channelsIn, privateMemberIds } from './channels/access.ts';
import { channelHandlers } from './channels/commands.ts';
import { privateChannelsOf } from './channels/slices.ts';
import { participantsOf, partnersAmong } from './conversations/access.ts';
import { conversationHandlers } from './conversations/commands.ts';
import { partnersSeenBy } from './conversations/presence.ts';
import { acceptByWriting } from './conversations/requests.ts';
import { conversationsOf } from './conversations/slices.ts';
import { emojiHandlers } from './emoji/commands.ts';
import { emojiIn } from './emoji/slices.ts';
import { fileHandlers } from './files/commands.ts';
import { friendHandlers } from './friends/commands.ts';
import { friendEnding, friendsAmong, friendsOf } from './friends/friends.ts';
import { friendRequestsOf, friendshipsOf } from './friends/slices.ts';
import { inviteHandlers, joinRequestHandlers } from './invites/commands.ts';
import { requestEnding } from './invites/requests.ts';
import { localTimeHandlers } from './local-time/commands.ts';
import { accessVersionsOfMember } from './members/access.ts';
import { memberHandlers } from './members/commands.ts';
import { standingBeside } from './members/listed.ts';
import { membersIn } from './members/slices.ts';
import { timelinesSeenBy } from './messages/access.ts';
import { messageHandlers } from './messages/commands.ts';
import { followersOn } from './messages/message-parts.ts';
import { changesSince, newestMessages } from './messages/slices.ts';
import type { Fills } from './database/migrations.ts';
import { updateAllNames } from './people/name-search.ts';
import { updateAllChannelNames } from './channels/search.ts';
import { updateAllNicknames } from './members/nickname-search.ts';
import { notificationHandlers } from './notifications/commands.ts';
import { notificationSettingsOf } from './notifications/slices.ts';
import { pinHandlers } from './pins/commands.ts';
import { findPeople, peopleMentioned } from './people/people.ts';
import { previewHandlers } from './previews/commands.ts';
import { queuePreviews } from './links/part.ts';
import { addPreviews, sweepPreviews } from './previews/previews.ts';
import { presenceHandlers } from './presence/commands.ts';
import { chosenStatus } from './presence/status.ts';
import { pushHandlers } from './push/commands.ts';
import { reactionHandlers } from './reactions/commands.ts';
import { readHandlers } from './reads/commands.ts';
import { markReadByWriting } from './reads/marking.ts';
import {
  badgesFor,
  fittingBadges,
  notAtEnd,
  readEnding,
  readUnread,
  saidSince,
} from './reads/reads.ts';
import { reportHandlers } from './reports/commands.ts';
import { reportEnding, sweepReports } from './reports/reports.ts';

import { roleHandlers } from './roles/commands.ts';
import { rolesIn } from './roles/slices.ts';
import { searchHandlers } from './search/commands.ts';
import { serversSeenBy, serverItself } from './servers/access.ts';
import { serverHandlers } from './servers/commands.ts';
import { serversOf } from './servers/slices.ts';
import { privateEnding } from './channels/private-channels.ts';
import { pictureEnding } from './files/files.ts';
import { serverEnding } from './servers/servers.ts';
import { conversationEnding } from './conversations/conversations.ts';
import { settingEnding } from './notifications/notifications.ts';
import { mentionEnding } from './mentions/mentions.ts';
import { endingsOn } from './endings.ts';
import type { RoomFeatures } from './realtime/room-features.ts';
import type { ConnectionFeatures } from './connection-features.ts';
import { sidebarHandlers } from './sidebar/commands.ts';
import { sidebarEnding } from './sidebar/sidebar.ts';
import { sidebarListsOf } from './sidebar/slices.ts';
import { syncHandlers } from './connection/sync.ts';
import { taskCountsOf } from './tasks/slices.ts';
import { taskEnding } from './tasks/tasks.ts';
import { transferHandlers } from './transfers/commands.ts';
import { transfersOf } from './transfers/slices.ts';
import { typingHandlers } from './typing/commands.ts';
import { wordFilterHandlers } from './servers/word-filter.ts';
import {
  contextForStrangers,
  ownContext,
  type Context,
  type Handlers,
  type Node,
} from './caller.ts';
import { sessionMiddleware } from './accounts/cookies.ts';
import { watchGuests } from './accounts/former-guests.ts';
import { sweepOrigins } from './accounts/origins.ts';
import { sweepResets } from './accounts/resets.ts';
import { accountRoutes } from './accounts/routes.ts';
import { sweepAudit } from './audit/audit.ts';
import { sweepDays } from './files/allowance.ts';
import { requireFilesReadable, watchMoves } from './files/moving.ts';
import { objectsOf, openObjectStore, type ObjectStore } from './files/object-store.ts';
import type { Config } from './config.ts';
import type { Db } from './database/database.ts';
import type { Logger } from './node/log.ts';
import { picturesOn } from './files/pictures.ts';
import { fileRequests } from './files/serving.ts';
import { watchFiles } from './files/sweep.ts';
import { sweepBans } from './members/bans.ts';
import { listEnding, watchLists } from './members/lists.ts';
import { sweepTimeouts } from './members/timeouts.ts';
import { watchEnded } from './messages/ended.ts';
import { sweepSlowSends } from './slow-mode/part.ts';
import { writerOn } from './messages/node-writer.ts';
import { watchPurges } from './messages/purges.ts';
import { every } from './node/timer.ts';
import { startPresence } from './presence/presence.ts';
import { queuePushes } from './push/queue.ts';
import { sendPushes } from './push/sending.ts';
import { watchSearch } from './search/filling.ts';
import { openLargeServers, watchLarge } from './members/large-cache.ts';
import { createLobby } from './servers/lobby.ts';
import { sweepTransfers, transferEnding } from './transfers/transfers.ts';

const handlers: Handlers<CommandName> = disjoint([
  accountHandlers,
  serverHandlers,
  transferHandlers,
  inviteHandlers,
  joinRequestHandlers,
  channelHandlers,
  memberHandlers,
  messageHandlers,
  reactionHandlers,
  fileHandlers,
  pinHandlers,
  previewHandlers,
  reportHandlers,
  wordFilterHandlers,
  readHandlers,
  notificationHandlers,
  sidebarHandlers,
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
  roleHandlers,
  auditHandlers,
  administrationHandlers,
]);

/** These functions call `node` only when they run, because the node is built after them. */
const rooms = (node: () => Node): RoomFeatures => ({
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
      taskCounts: taskCountsOf,
      privateChannels: privateChannelsOf,
      conversations: conversationsOf,
      friendships: friendshipsOf,
      friendRequests: friendRequestsOf,
      blocks: blocksOf,
      notificationSettings: notificationSettingsOf,
      sidebarLists: sidebarListsOf,
    },
    server: {
      servers: serverItself,
      categories: categoriesIn,
      channels: channelsIn,
      members: membersIn,
      emoji: emojiIn,
      roles: rolesIn,
    },
    timeline: { messages: newestMessages },
  },
  people: { find: findPeople, mentioned: peopleMentioned },
  changesSince: { timeline: changesSince },
  ephemeral: {
    async user(db, id, { among } = {}) {
      const { presence } = node();
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
    server: (_db, id, of) => standingBeside(node(), id, of),
  },
  activity: {
    accessVersionsOf: accessVersionsOfMember,
    saidSince,
    audience: {
      async channel(db, id) {
        const privateMembers = await privateMemberIds(db, id);
        // A private channel always has its owner, so without members the channel is public.
        return privateMembers.length > 0 ? privateMembers : notAtEnd(db, id);
      },
      conversation: participantsOf,
    },
  },
});

const connection = (node: () => Node): ConnectionFeatures => ({
  identity: {
    credentialOf,
    byToken: (request, token) => identifyToken(contextForStrangers(node()), request, token),
    byCookie: (request) => identifyCookie(contextForStrangers(node()), request),
  },
  greetStranger: (from) => greetStranger(contextForStrangers(node()), from),
  isSessionLive,
  findPeople,
  instanceRightsOf: (db, user) => instanceRightsOf(db, node(), user),
  chosenStatus,
  badges: { read: readUnread, fitting: fittingBadges, of: badgesFor },
});

/** Runs in this order when a membership, a server or an account ends. */
const endings = [
  ...[
    transferEnding,
    reportEnding,
    requestEnding,
    taskEnding,
    listEnding,
    privateEnding,
    pictureEnding,
    serverEnding,
  ],
  ...[conversationEnding, friendEnding, readEnding, settingEnding, sidebarEnding],
  mentionEnding,
];

/** Starts background work of a node, and returns the function that stops it. */
type Chore = (context: Context) => () => unknown;

const chores: Chore[] = [
  watchLarge,
  watchEnded,
  watchPurges,
  watchFiles,
  watchMoves,
  watchLists,
  watchSearch,
  watchGuests,
  watchNodes,
  sendPushes,
  addPreviews,
  ...[
    sweepSessions,
    sweepResets,
    sweepOrigins,
    sweepAudit,
    sweepTransfers,
    sweepBans,
    sweepDays,
    sweepSlowSends,
    sweepTimeouts,
    sweepReports,
    sweepPreviews,
  ].map(
    (sweep): Chore =>
      (context) =>
        every(context.node, 60_000, 'sweep', () => sweep(context)),
  ),
];

/** @throws StartupProblem if the object store refuses, or is needed and not configured */
async function openFiles({ PARLEY_FILES }: Config, log: Logger, db: Db) {
  const objects = await openObjectStore(PARLEY_FILES, log);
  await requireFilesReadable(db, objects);
  return objects;
}

/** Opens the features’ state before the first connection. */
async function start(node: Node, objects: ObjectStore | undefined): Promise<void> {
  objectsOf.put(node, objects);
  endingsOn.put(node, endings);
  const followers = [markReadByWriting, queuePushes, acceptByWriting, auditRemovals];
  const { PARLEY_PREVIEWS } = node.config;
  followersOn.put(node, PARLEY_PREVIEWS === 'on' ? [...followers, queuePreviews] : followers);
  writerOn(node);
  await createLobby(ownContext(node));
  await node.large.read();
}

/** Runs after all chores have stopped. */
const end = (node: Node): void => picturesOn(node).close();

export const features = {
  handlers,
  rooms,
  connection,
  openPresence: startPresence,
  openLargeServers,
  sessionMiddleware,
  signIn: (node: Node) => accountRoutes(contextForStrangers(node)),
  files: fileRequests,
  openFiles,
  start,
  chores,
  end,
};

export const fills: Fills = {
  peopleNames: updateAllNames,
  nicknames: updateAllNicknames,
  channelNames: updateAllChannelNames,
};
