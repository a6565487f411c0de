import { ChatError, conflict } from '../../shared/failure.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { recordAudit } from '../audit/audit.ts';
import { transaction } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import { revokeBotTokens } from './bot-tokens.ts';
import { requireUncommon } from './common-passwords.ts';
import { turnOf } from './entry-limits.ts';
import { hashPassword, passwordFits } from './password.ts';
import { deleteOtherSessions } from './session-store.ts';
import { findCredentials, replacePassword } from './store.ts';
import { endReset, signOut } from './accounts.ts';

/** @throws ChatError conflict for guests, invalid for a common password, forbidden for a wrong `current` */
export async function changePassword(
  caller: Caller,
  { current, next, bots = 'keep' }: Parsed<'user:changePassword'>,
): Promise<void> {
  const { node, db, user, sessionId, address } = caller;
  const found = await findCredentials(db, { id: user.id });
  const from = found?.passwordHash ?? null;
  if (from === null) throw conflict('Guests have no password. Create an account first.');
  requireUncommon(next, user.username ?? '', 'next');
  const turn = await turnOf(node, address);
  const guess = { account: user.id, address, isQuiet: false, since: Date.now() };
  if (!(await passwordFits(node, current, from, turn === 'busy' ? guess : turn))) {
    await recordAudit(db, caller, { action: 'password:refused' });
    throw wrongPassword();
  }
  const to = { passwordHash: await hashPassword(node, next, turn), passwordResetAt: null };
  const ended = await transaction(db, async (db) => {
    if (!(await replacePassword(db, user.id, from, to))) throw wrongPassword();
    await endReset(db, user.id);
    const ended = await revokeBotTokens(db, caller, bots);
    ended.set(user.id, await deleteOtherSessions(db, user.id, sessionId));
    await recordAudit(db, caller, { action: 'password:changed' });
    return ended;
  });
  for (const [userId, sessionIds] of ended) signOut(node, userId, sessionIds);
}

const wrongPassword = () => new ChatError('forbidden', 'Wrong password.', { field: 'current' });
