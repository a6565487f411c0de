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
import { userRoom } from '../../shared/rooms.ts';
import { recordAudit } from '../audit/audit.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { knownInvite, usableInvite } from '../invites/access.ts';
import {
  doorOf,
  enter,
  inviteLocks,
  isOpenTo,
  ownerInvite,
  requireNotPaused,
  roomsByInvite,
  roomsToEnter,
  useInvite,
  type UsedBy,
} from '../invites/invites.ts';
import { banMatchOf } from '../members/access.ts';
import { lobbyId } from '../servers/access.ts';
import { readInstanceSettings } from '../node/instance-settings.ts';
import { indexNames } from '../people/name-search.ts';
import { contextFor, type Context, type Node } from '../caller.ts';
import { broadcastPerson } from './accounts.ts';
import { requireUncommon } from './common-passwords.ts';
import { hashPassword, type Turn } from './password.ts';
import {
  findCredentials,
  insertAccount,
  registerGuest,
  type Credentials,
  type NewAccount,
  type Origin,
} from './store.ts';
import { nameTaken, requireFree, whyTaken } from './usernames.ts';

interface Entering {
  address: string;
  origin: Origin;
}

/**
 * A guest's account becomes registered, and keeps its id, messages and memberships.
 * @throws ChatError forbidden or not_found, by the signup policy; conflict, if the username is taken
 */
export async function register(
  context: Context,
  { username, password, displayName, invite }: z.output<typeof Register>,
  current: Account | undefined,
  { address, origin, turn }: Entering & { turn: Turn },
): Promise<Credentials> {
  await requireSignupOpen(context.db, context, { kind: 'registered', invite });
  // Avoids hashing during a pause. `useInvite` decides. Skipped for guests, who can already be members.
  if (invite !== undefined && current === undefined) await requireNotPaused(context.db, invite);
  requireUncommon(password, username, 'password');
  // Avoids hashing for a taken username. The insert decides.
  await requireFree(context.db, username);
  const passwordHash = await hashPassword(context.node, password, turn);
  const user =
    current?.kind === 'guest'
      ? await claimGuest(
          contextFor(context.node, current),
          { user: current, address },
          { username, passwordHash, displayName },
          invite,
        )
      : await createAccount(
          context,
          { kind: 'registered', username, passwordHash, displayName: displayName ?? username },
          invite,
          { address, origin },
        );
  return { user, passwordHash };
}

/** @throws ChatError forbidden or not_found, by the signup policy */
export async function lookForUsername(
  context: Context,
  { username, invite }: z.output<typeof FreeUsername>,
): Promise<z.output<typeof UsernameLook>> {
  await requireSignupOpen(context.db, context, { kind: 'registered', invite });
  const taken = await whyTaken(context.db, username);
  return taken === undefined ? {} : { taken };
}

/** @throws ChatError forbidden or not_found, by the signup policy */
export async function enterAsGuest(
  context: Context,
  { displayName, invite }: z.output<typeof EnterAsGuest>,
  from: Entering,
): Promise<Credentials> {
  const nobody = { kind: 'guest', username: null, passwordHash: null } as const;
  return {
    user: await createAccount(context, { ...nobody, displayName }, invite, from),
    passwordHash: null,
  };
}

interface SignUp {
  kind: Account['kind'];
  invite: string | undefined;
}

/**
 * The invite that makes its user the owner of this Parley works under any registration policy, but not for guests. The
 * check in the transaction decides, because the policy can change before it; for `register`, an earlier check avoids
 * hashing.
 */
async function requireSignupOpen(
  db: Db,
  { node }: Pick<Context, 'node'>,
  { kind, invite }: SignUp,
): Promise<void> {
  const { registration, guests } = await readInstanceSettings(db, node.config);
  const policy = kind === 'guest' ? guests : registration;
  if (policy === 'open') return;
  if (kind !== 'guest' && invite !== undefined && invite === (await ownerInvite(db))) return;
  if (policy === 'closed') throw forbidden('This isn’t allowed on this server.');
  if (invite === undefined) throw forbidden('You need an invite to join.');
  // Fails early for an invite that does not exist. `useInvite` decides.
  await usableInvite(db, invite);
}

async function createAccount(
  context: Context,
  account: Omit<NewAccount, 'id' | 'origin'>,
  invite: string | undefined,
  { address, origin }: Entering,
): Promise<Account> {
  const { node, db } = context;
  const id = v7();
  const target = invite === undefined ? undefined : await usableInvite(db, invite);
  const invited = target?.serverId;
  const lobby = joinsLobby(node, account.kind, invited) ? await lobbyId(db) : undefined;
  const by = { userId: id, asks: true };
  const { shared = [], exclusive = [] } = target === undefined ? {} : inviteLocks(target);
  const rooms = async (db: Db) => [
    ...(invite === undefined ? [] : await roomsByInvite(db, invite, by)),
    ...(lobby === undefined || lobby === invited ? [] : await roomsToEnter(db, lobby, by)),
  ];
  const locks = { shared: [...shared, ...(lobby === undefined ? [] : [lobby])], exclusive, rooms };
  return commit(context, locks, async (work) => {
    const [, , user, door, banMatch] = await Promise.all([
      requireSignupOpen(work.db, context, { kind: account.kind, invite }),
      work.create(userRoom(id)),
      insertAccount(work.db, { id, ...account, origin }),
      lobby === undefined || lobby === invited ? undefined : doorOf(work.db, lobby, id),
      // Reads the inserted account, because a transaction runs its statements in this order.
      lobby === undefined ? undefined : banMatchOf(work.db, lobby, { id, kind: account.kind }),
    ]);
    if (user === undefined) throw nameTaken(account.username ?? '');
    if (lobby !== undefined && door && isOpenTo(door, user.kind) && banMatch === undefined)
      await enter(work, door, { serverId: lobby, user });
    if (invite !== undefined) await useInvite(work, invite, { user, address, asks: true });
    if (user.kind === 'registered')
      await recordAudit(work.db, { user, address }, { action: 'account:created' });
    return user;
  });
}

const joinsLobby = (
  { config: { PARLEY_LOBBY } }: Node,
  kind: Account['kind'],
  invited: string | undefined,
): boolean =>
  PARLEY_LOBBY === 'all' || (PARLEY_LOBBY === 'on' && (kind !== 'guest' || invited === undefined));

async function claimGuest(
  context: Context,
  from: UsedBy & { user: Account },
  to: { username: string; passwordHash: string; displayName: string | undefined },
  invite: string | undefined,
): Promise<Account> {
  const guest = from.user;
  const user = await joinByInvite(context, { ...from, asks: true }, invite, async ({ db }) => {
    await requireSignupOpen(db, context, { kind: 'registered', invite });
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
  await broadcastPerson(context, user);
  return user;
}

export async function joinByInvite(
  context: Context,
  { user, address, asks }: UsedBy & { user: Account; asks: boolean },
  invite: string | undefined,
  first: (work: RoomTransaction) => Promise<Account | undefined>,
): Promise<Account> {
  const locks = invite === undefined ? {} : inviteLocks(await knownInvite(context.db, invite));
  const rooms = async (db: Db) => [
    userRoom(user.id),
    ...(invite === undefined ? [] : await roomsByInvite(db, invite, { userId: user.id, asks })),
  ];
  return commit(context, { ...locks, rooms }, async (work) => {
    const account = (await first(work)) ?? user;
    if (invite !== undefined) await useInvite(work, invite, { user: account, address, asks });
    return account;
  });
}
