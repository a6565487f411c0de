/**
 * Everything that Parley can do, joined: who answers each command, what each room is made of, and who may
 * enter it. A command without a handler, or a slice without a loader, does not compile.
 */
import type { Change, Row } from '../shared/changes.ts';
import { disjoint } from '../shared/contract.ts';
import type { Counts } from '../shared/members.ts';
import type { PresenceMap } from '../shared/presence.ts';
import type { CommandName, Output, Parsed } from '../shared/protocol.ts';
import type { RoomKind, roomSlices } from '../shared/rooms.ts';
import type { App } from './app.ts';
import { accountHandlers } from './accounts/commands.ts';
import { administrationHandlers } from './administration/commands.ts';
import { auditHandlers } from './audit/commands.ts';
import { botHandlers } from './bots/commands.ts';
import { blockHandlers } from './blocks/commands.ts';
import { blocksOf } from './blocks/slices.ts';
import { categoryHandlers } from './categories/commands.ts';
import { categoriesIn } from './categories/slices.ts';
import { channelHandlers } from './channels/commands.ts';
import { channelsIn, privateChannelsOf } from './channels/slices.ts';
import type { Caller } from './command.ts';
import { conversationHandlers } from './conversations/commands.ts';
import { partnersAmong, partnersSeenBy } from './conversations/presence.ts';
import { conversationsOf } from './conversations/slices.ts';
import type { Db } from './database/database.ts';
import type { Page } from './database/page.ts';
import { friendHandlers } from './friends/commands.ts';
import { friendsAmong, friendsOf } from './friends/friends.ts';
import { friendRequestsOf, friendshipsOf } from './friends/slices.ts';
import { inviteHandlers } from './invites/commands.ts';
import { memberHandlers } from './members/commands.ts';
import { countsIn } from './members/counts.ts';
import { membersTold } from './members/members.ts';
import { membersIn } from './members/slices.ts';
import { timelinesSeenBy } from './messages/access.ts';
import { messageHandlers } from './messages/commands.ts';
import { changesSince, newestMessages } from './messages/slices.ts';
import { presenceHandlers } from './presence/commands.ts';
import { readHandlers } from './reads/commands.ts';
import { serversSeenBy } from './servers/access.ts';
import { serverHandlers } from './servers/commands.ts';
import { serverItself, serversOf } from './servers/slices.ts';
import { syncHandlers } from './realtime/sync.ts';
import { transferHandlers } from './transfers/commands.ts';
import { transfersOf } from './transfers/slices.ts';
import { typingHandlers } from './typing/commands.ts';

/** What answers a command: what a stranger may ask, and who may. */
export type Handler<C extends CommandName> = (
  caller: Caller,
  input: Parsed<C>,
) => Promise<Output<C>>;
export type Handlers<C extends CommandName> = { [N in C]: Handler<N> };

export const handlers: Handlers<CommandName> = disjoint([
  accountHandlers,
  serverHandlers,
  transferHandlers,
  inviteHandlers,
  channelHandlers,
  memberHandlers,
  messageHandlers,
  readHandlers,
  syncHandlers,
  botHandlers,
  presenceHandlers,
  typingHandlers,
  conversationHandlers,
  friendHandlers,
  blockHandlers,
  categoryHandlers,
  auditHandlers,
  administrationHandlers,
]);

type Loaders<K extends RoomKind> = {
  [S in (typeof roomSlices)[K][number]]: (db: Db, id: string, page: Page) => Promise<Row<S>[]>;
};

/** How each slice of each kind of room is read: a page of it by its keys, or all of what is never much. */
export const loaders: { [K in RoomKind]: Loaders<K> } = {
  user: {
    servers: serversOf,
    transfers: transfersOf,
    privateChannels: privateChannelsOf,
    conversations: conversationsOf,
    friendships: friendshipsOf,
    friendRequests: friendRequestsOf,
    blocks: blocksOf,
  },
  server: {
    servers: serverItself,
    categories: categoriesIn,
    channels: channelsIn,
    members: membersIn,
  },
  timeline: { messages: newestMessages },
};

/** Kinds of rooms that can say what changed since a version; the others send a snapshot. */
export const histories: Partial<
  Record<RoomKind, (db: Db, id: string, since: number) => Promise<Change[] | 'too many'>>
> = {
  timeline: changesSince,
};

/** What stands beside the state of a room and is no part of it: to be called at the moment of the answer. */
export const beside: Partial<
  Record<
    RoomKind,
    (
      app: App,
      id: string,
      /** Of whom it is asked, if not of all. */
      among?: string[],
    ) => Promise<() => { presence: PresenceMap; counts?: Counts }>
  >
> = {
  async user({ db, presence }, id, among) {
    const friends = among ? (await friendsAmong(db, [id], among)).get(id) : await friendsOf(db, id);
    const partners = among
      ? (await partnersAmong(db, [id], among)).get(id)
      : await partnersSeenBy(db, id);
    return () => ({ presence: presence.statuses([...(friends ?? []), ...(partners ?? [])]) });
  },
  async server(app, id, among) {
    const members = await membersTold(app.db, id);
    const asked = among && new Set(among);
    const userIds = members.map(({ userId }) => userId).filter((one) => asked?.has(one) ?? true);
    const counts = await countsIn(app, id);
    return () => ({ presence: app.presence.statuses(userIds), ...counts });
  },
};

/** Which of these the caller may enter, each with whose departures concern it, if anybody's. */
export const admissions: Record<
  RoomKind | 'activity',
  (db: Db, caller: Caller, ids: string[]) => Promise<Map<string, string | undefined>>
> = {
  user: async (_db, { user }, ids) =>
    new Map(ids.filter((id) => id === user.id).map((id) => [id, undefined])),
  server: serversSeenBy,
  activity: serversSeenBy,
  timeline: timelinesSeenBy,
};
