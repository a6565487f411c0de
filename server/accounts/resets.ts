/** Links to set a new password, for people who forgot theirs. Each works once, within an hour. */
import type { z } from 'zod';
import type { ResetPassword } from '../../shared/accounts.ts';
import { ChatError } from '../../shared/failure.ts';
import { recordAudit } from '../audit/audit.ts';
import { transaction } from '../database/database.ts';
import type { Context } from '../caller.ts';
import { revokeBotTokens } from './bot-tokens.ts';
import { requireUncommon } from './common-passwords.ts';
import { hashOf } from './cookies.ts';
import { hashPassword, type Turn } from './password.ts';
import { deleteExpiredResets, findReset, useReset } from './reset-store.ts';
import { findCredentials, lockAccountRow, type Credentials } from './store.ts';
import { endSessionsOf, signOut } from './accounts.ts';

export const sweepResets = ({ db }: Pick<Context, 'db'>): Promise<void> => deleteExpiredResets(db);

/** @throws ChatError unauthenticated, the same for every link that doesn't work; invalid for a common password */
export async function resetPassword(
  context: Context,
  { secret, password, bots = 'keep' }: z.output<typeof ResetPassword>,
  { address, turn }: { address: string; turn: Turn },
): Promise<Credentials> {
  const { node } = context;
  const secretHash = hashOf(secret);
  const userId = await findReset(context.db, secretHash);
  const found =
    userId === undefined ? undefined : await findCredentials(context.db, { id: userId });
  if (found === undefined) throw deadLink();
  const { user } = found;
  // Checked first, so that a rejected password does not use up the link.
  requireUncommon(password, user.username ?? '', 'password');
  const passwordHash = await hashPassword(node, password, turn);
  const ended = await transaction(context.db, async (db) => {
    // Locks the account before the link, in the order of the code that creates links.
    await lockAccountRow(db, user.id);
    if (!(await useReset(db, { userId: user.id, secretHash, passwordHash }))) throw deadLink();
    const ended = await revokeBotTokens(db, { user, address }, bots);
    ended.set(user.id, await endSessionsOf(db, user.id));
    await recordAudit(db, { user, address }, { action: 'password:reset' });
    return ended;
  });
  for (const [userId, sessionIds] of ended) signOut(node, userId, sessionIds);
  return { user, passwordHash };
}

const deadLink = () =>
  new ChatError(
    'unauthenticated',
    'This link doesn’t work. It may have expired. Ask for a new one.',
  );
