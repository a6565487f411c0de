import type { Account, BotTokens } from '../../shared/accounts.ts';
import { recordAudit } from '../audit/audit.ts';
import { botIdsOf } from '../bots/access.ts';
import type { Db } from '../database/database.ts';
import { revokeTokens } from './accounts.ts';

/** Lock the owner's row first, so that nobody creates another token meanwhile. Returns the ended sessions by bot. */
export async function revokeBotTokens(
  db: Db,
  owner: { user: Account; address: string },
  bots: BotTokens,
): Promise<Map<string, string[]>> {
  const ended = new Map<string, string[]>();
  for (const botId of bots === 'revoke' ? await botIdsOf(db, owner.user.id) : []) {
    ended.set(botId, await revokeTokens(db, botId));
    await recordAudit(db, owner, { action: 'bot:revoked', userId: botId });
  }
  return ended;
}
