import type { z } from 'zod';
import { foldUsername, Username, type Login } from '../../shared/accounts.ts';
import { ChatError, forbidden } from '../../shared/failure.ts';
import { recordFailedSignIn } from '../audit/audit.ts';
import { InvitesPaused } from '../invites/invites.ts';
import { contextFor, type Context } from '../caller.ts';
import {
  giveBackKnown,
  noteWrong,
  staysQuiet,
  takeGuess,
  takeKnown,
  takeVisit,
} from './entry-limits.ts';
import { hasSignedIn, isKnown, type KnownDevice } from './known-devices.ts';
import { hashPassword, isCheap, passwordFits } from './password.ts';
import { findCredentials, replacePassword, type Credentials } from './store.ts';
import type { Waiting } from './waiting-since.ts';
import { joinByInvite } from './sign-up.ts';

type Given = z.output<typeof Login>;

export interface Requester {
  address: string;
  device: KnownDevice;
  waiting: Waiting;
}

/**
 * @throws ChatError unauthenticated, the same for a wrong password and for a name that cannot sign in; forbidden, only
 * to a caller who has the password, if the account is suspended
 */
export async function login(
  context: Context,
  input: Given,
  visitor: Requester,
): Promise<Credentials> {
  const found = await comparePassword(context, input, visitor);
  if (found === undefined) throw new ChatError('unauthenticated', 'Wrong username or password.');
  if (found.isSuspended) throw forbidden('This account is suspended.');
  const { user, passwordHash, passwordResetAt } = found;
  const { password, invite } = input;
  if (invite !== undefined)
    await joinByInvite(
      contextFor(context.node, user),
      // A person who signs in asks on the page of the invite, not by signing in.
      { user, address: visitor.address, asks: false },
      invite,
      async () => undefined,
    ).catch((error: unknown) => {
      // A pause must not keep people from signing in.
      if (!(error instanceof InvitesPaused)) throw error;
    });
  const hash = await rehash(context, user.id, password, passwordHash);
  return { user, passwordHash: hash, passwordResetAt };
}

type RegisteredCredentials = Credentials & { passwordHash: string };

/** Counts a stranger's attempt first, and gives it back if the password is correct. */
async function comparePassword(
  context: Context,
  { username, password }: Given,
  { address, device, waiting }: Requester,
): Promise<RegisteredCredentials | undefined> {
  const { node } = context;
  const account = foldUsername(username).slice(0, 64);
  const since = waiting.since(account);
  const known = await knownAccount(context, account, { address, device });
  const turn = known ? 'known' : await takeVisit(node, address, 'loginPerAddress', 'loginOverall');
  const guess = known ? undefined : await takeGuess(node, account, address);
  const found = known ?? (await accountWithPassword(context, username));
  const isGuess = turn === 'busy' || guess?.isSlow;
  const when = isGuess ? { account, address, isQuiet: turn === 'quiet', since } : turn;
  const fits = await passwordFits(node, password, found?.passwordHash, when).catch(
    async (error: unknown) => {
      if (isGuess) waiting.remember(account, since);
      // No password was compared, so the attempt does not count.
      await Promise.all([
        guess?.takeBack(),
        turn === 'quiet' && staysQuiet(node, address),
        known && giveBackKnown(node, account, { address, device }),
      ]);
      throw error;
    },
  );
  if (fits) {
    await Promise.all([
      guess?.takeBack(),
      turn === 'quiet' && staysQuiet(node, address),
      known && giveBackKnown(node, account, { address }),
    ]);
  } else {
    if (turn === 'quiet') await noteWrong(node, address);
    await recordFailedSignIn(context.db, { userId: found?.user.id, address });
  }
  return fits ? found : undefined;
}

/** Returns the account, if this device knows its present password and few wrong passwords followed. */
async function knownAccount(
  context: Context,
  account: string,
  { address, device }: Omit<Requester, 'waiting'>,
): Promise<RegisteredCredentials | undefined> {
  const { node } = context;
  if (!hasSignedIn(node, device, account)) return undefined;
  await node.limits.take('loginPerDevice', `${device.id} ${account}`);
  const found = await accountWithPassword(context, account);
  if (!found || !isKnown(node, device, account, found.passwordHash)) return undefined;
  return (await takeKnown(node, account, address)) ? found : undefined;
}

async function accountWithPassword(
  { db }: Context,
  username: string,
): Promise<RegisteredCredentials | undefined> {
  const name = Username.safeParse(username);
  const found = name.success ? await findCredentials(db, { username: name.data }) : undefined;
  if (found === undefined || found.passwordHash === null) return undefined;
  return { ...found, passwordHash: found.passwordHash };
}

/** Returns the hash of a correct password: a new one, if the old one was made at a lower cost. */
async function rehash(
  context: Context,
  userId: string,
  password: string,
  hash: string,
): Promise<string> {
  const { node } = context;
  if (!isCheap(node, hash)) return hash;
  const dearer = await hashPassword(node, password, 'known');
  if (await replacePassword(context.db, userId, hash, { passwordHash: dearer })) return dearer;
  // Another sign-in was faster, or the password was changed. In the second case the old hash starts no session.
  const now = (await findCredentials(context.db, { id: userId }))?.passwordHash ?? hash;
  return (await passwordFits(node, password, now, 'known')) ? now : hash;
}
