/** Accounts: new ones, registered or of guests, and their names. */
import { v7 } from 'uuid';
import type { z } from 'zod';
import type {
  Account,
  EnterAsGuest,
  FreeUsername,
  Register,
  UsernameLook,
} from '../../shared/accounts.ts';
import { conflict, forbidden } from '../../shared/failure.ts';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import type { Doorway, Parsed } from '../../shared/protocol.ts';
import type { App } from '../app.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller } from '../command.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import { partnersOf } from '../conversations/access.ts';
import { transaction, type Db } from '../database/database.ts';
import { contactsOf } from '../friends/friends.ts';
import {
  inviteLeadsTo,
  inviteServer,
  roomsByInvite,
  useInvite,
  type UsedBy,
} from '../invites/invites.ts';
import { addMember, serversOfMany } from '../members/members.ts';
import { broadcastPresence } from '../presence/broadcast.ts';
import { roomsToJoin } from '../servers/large.ts';
import { lobbyId, ownerInvite } from '../servers/lobby.ts';
import { transferPartners } from '../transfers/offers.ts';
import { requireUncommon } from './common-passwords.ts';
import { indexNames } from './name-search.ts';
import { hashPassword, type Turn } from './password.ts';
import { asPerson } from './people.ts';
import {
  findCredentials,
  insertAccount,
  lockAccount as lockRow,
  registerGuest,
  renameAccount,
  type Credentials,
  type NewAccount,
} from './store.ts';
import { nameTaken, requireFree, whyTaken } from './usernames.ts';

/**
 * Makes a registered user: a new one, or of the guest who asks, who keeps id, messages and memberships.
 * @throws ChatError forbidden or not_found, as the door is; conflict, if the username is taken
 */
export async function register(
  app: App,
  { username, password, displayName, invite }: z.output<typeof Register>,
  current: Account | undefined,
  { address, turn }: { address: string; turn: Turn },
): Promise<Credentials> {
  await requireRegistrationOpen(app, invite);
  requireUncommon(password, username, 'password');
  // Asked before the work of hashing, too; what decides is the insert.
  await requireFree(app.db, username);
  const passwordHash = await hashPassword(app, password, turn);
  const user =
    current?.kind === 'guest'
      ? await claimGuest(
          app,
          { user: current, address },
          { username, passwordHash, displayName },
          invite,
        )
      : await createAccount(
          app,
          { kind: 'registered', username, passwordHash, displayName: displayName ?? username },
          invite,
          address,
        );
  return { user, passwordHash };
}

/**
 * Whether a username is free, for those who could register it.
 * @throws ChatError forbidden or not_found, as the door is
 */
export async function lookForUsername(
  app: App,
  { username, invite }: z.output<typeof FreeUsername>,
): Promise<z.output<typeof UsernameLook>> {
  await requireRegistrationOpen(app, invite);
  const taken = await whyTaken(app.db, username);
  return taken === undefined ? {} : { taken };
}

/** Who signs in by this username. */
export const accountNamed = async (db: Db, username: string): Promise<Account | undefined> =>
  (await findCredentials(db, { username }))?.user;

/**
 * Lets somebody in who only gives a name.
 * @throws ChatError forbidden or not_found, as the door is
 */
export async function enterAsGuest(
  app: App,
  { displayName, invite }: z.output<typeof EnterAsGuest>,
  address: string,
): Promise<Credentials> {
  await requireSignupOpen(app, app.config.PARLEY_GUESTS, invite);
  const nobody = { kind: 'guest', username: null, passwordHash: null } as const;
  return {
    user: await createAccount(app, { ...nobody, displayName }, invite, address),
    passwordHash: null,
  };
}

/** Gives oneself another name. Those who share a server hear of it, and so do one's own devices. */
export async function updateAccount(
  { app, user }: Caller,
  { displayName = user.name }: Parsed<'user:update'>,
): Promise<Account> {
  await app.limits.take('rename', user.id);
  return (await renameUser(app, user.id, displayName)) ?? user;
}

/** Gives an account another name. Undefined if that is its name already. */
export async function renameUser(app: App, id: string, name: string): Promise<Account | undefined> {
  const renamed = await transaction(app.db, async (db) => {
    const account = await renameAccount(db, id, name);
    if (account !== undefined) await indexNames(db, [account]);
    return account;
  });
  if (renamed !== undefined) await broadcastPerson(app, renamed);
  return renamed;
}

/** Until the transaction ends, nobody else changes this account, nor makes or ends its bots and their tokens. */
export const lockAccount = (db: Db, id: string): Promise<void> => lockRow(db, id);

/** The account of a bot, which has no password and is in no server. */
export async function createBotAccount(
  work: RoomTransaction,
  { id, name, ownerId }: { id: string; name: string; ownerId: string },
): Promise<void> {
  await work.create(userRoom(id));
  await insertAccount(work.db, {
    ...{ id, displayName: name, kind: 'bot', ownerId },
    username: null,
    passwordHash: null,
  });
}

/** Whoever comes to own the place is let in, however the door is set. */
async function requireRegistrationOpen(app: App, invite: string | undefined): Promise<void> {
  if (invite === undefined || invite !== (await ownerInvite(app.db)))
    await requireSignupOpen(app, app.config.PARLEY_REGISTRATION, invite);
}

async function requireSignupOpen(
  app: App,
  door: Doorway,
  invite: string | undefined,
): Promise<void> {
  if (door === 'closed') throw forbidden('This isn’t allowed on this server.');
  if (door === 'open') return;
  if (invite === undefined) throw forbidden('You need an invite to join.');
  // Whether it can be used is decided where it is used; this only saves the work.
  await inviteServer(app.db, invite);
}

/** The account, its membership of the first server and the use of the invite: all of it, or nothing. */
async function createAccount(
  app: App,
  account: Omit<NewAccount, 'id'>,
  invite: string | undefined,
  address: string,
): Promise<Account> {
  const id = v7();
  const invited = invite === undefined ? undefined : await inviteServer(app.db, invite);
  const lobby = joinsLobby(app, account.kind, invited) ? await lobbyId(app.db) : undefined;
  const servers = [invited, lobby].filter((server) => server !== undefined);
  const rooms = async (db: Db) => [
    ...(invite === undefined ? [] : await roomsByInvite(db, invite)),
    ...(lobby === undefined || lobby === invited ? [] : await roomsToJoin(db, [lobby])),
  ];
  return commit(app, { shared: servers, rooms }, async (work) => {
    const [, user] = await Promise.all([
      work.create(userRoom(id)),
      insertAccount(work.db, { id, ...account }),
    ]);
    if (user === undefined) throw nameTaken(account.username ?? '');
    if (lobby !== undefined && lobby !== invited)
      await addMember(work, { serverId: lobby, userId: id, role: 'member' });
    if (invite !== undefined) await useInvite(work, invite, { user, address });
    if (user.kind === 'registered')
      await recordAudit(work.db, { user, address }, { action: 'account:created' });
    return user;
  });
}

/** A guest who was invited somewhere did not ask to be seen in Lobby too. */
const joinsLobby = (
  { config: { PARLEY_LOBBY } }: App,
  kind: Account['kind'],
  invited: string | undefined,
): boolean =>
  PARLEY_LOBBY === 'all' || (PARLEY_LOBBY === 'on' && (kind !== 'guest' || invited === undefined));

async function claimGuest(
  app: App,
  from: UsedBy & { user: Account },
  to: { username: string; passwordHash: string; displayName: string | undefined },
  invite: string | undefined,
): Promise<Account> {
  const guest = from.user;
  const user = await joinByInvite(app, from, invite, async ({ db }) => {
    const registered = await registerGuest(db, guest.id, to);
    if (registered !== undefined) {
      await indexNames(db, [registered]);
      await recordAudit(db, from, { action: 'account:claimed' });
      return registered;
    }
    const now = await findCredentials(db, { id: guest.id });
    throw now?.user.kind === 'guest'
      ? nameTaken(to.username)
      : conflict('You already have an account.');
  });
  await broadcastPerson(app, user);
  return user;
}

/** Says a person's new name, and that they are a guest no longer, to everyone who sees them. Lossy: rows bring people along, too. */
async function broadcastPerson(app: App, user: Account): Promise<void> {
  const servers = await serversOfMany(app.db, [user.id]);
  const partners = await partnersOf(app.db, user.id);
  const rooms = [
    ...[user.id, ...partners].map(userRoom),
    ...[...servers.keys()].map(serverRoom),
    ...(await contactsOf(app.db, user.id)).map(userRoom),
    ...(await transferPartners(app.db, user.id)).map(userRoom),
  ];
  app.fanout.broadcast(rooms, 'people', { people: { [user.id]: asPerson(user) } });
}

/** Does `first`, then uses the invite if there is one, for somebody who has an account. */
export async function joinByInvite(
  app: App,
  { user, address }: UsedBy & { user: Account },
  invite: string | undefined,
  first: (work: RoomTransaction) => Promise<Account | undefined>,
): Promise<Account> {
  const servers = invite === undefined ? [] : [await inviteLeadsTo(app.db, invite)];
  const rooms = async (db: Db) => [
    userRoom(user.id),
    ...(invite === undefined ? [] : await roomsByInvite(db, invite)),
  ];
  const joined = await commit(app, { shared: servers, rooms }, async (work) => {
    const account = (await first(work)) ?? user;
    if (invite !== undefined) await useInvite(work, invite, { user: account, address });
    return account;
  });
  // Another device of theirs may be online, which is no news but to those in there.
  for (const id of servers) broadcastPresence(app, id, [user.id]);
  return joined;
}
