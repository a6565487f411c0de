/**
 * Who a request or a handshake is from, and how often that may be asked: the limit comes before the database.
 * Guesses count for the address they come from. Who shows something that is no guess (a cookie that we signed,
 * a token that was good lately) is counted by that, so that nobody at the same address can lock them out.
 */
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { hashOf } from './accounts/cookies.ts';
import { giveBackForNetworks, takeForNetworks } from './accounts/entry-limits.ts';
import { botOf, callerOf, type Known } from './accounts/sessions.ts';
import { addressOf } from './address.ts';
import type { App } from './app.ts';

/** Hashes of tokens that were good when they were last shown, the latest last. */
export type GoodTokens = Set<string>;

/** So many at most: who is forgotten is counted by address once more. */
const mostGoodTokens = 10_000;

/**
 * Whose token this is.
 * @throws ChatError unauthenticated, rate_limited
 */
export async function identifyToken(
  app: App,
  request: IncomingMessage,
  token: unknown,
): Promise<Known> {
  const hash = hashOf(typeof token === 'string' ? token : '');
  const { goodTokens, limits } = app;
  const address = addressOf(app.config, request);
  const wasGood = goodTokens.has(hash);
  if (wasGood) await limits.take('requestPerCredential', hash);
  else await takeForNetworks(app, 'unknownPerAddress', address);
  const known = await botOf(app, token).finally(() => goodTokens.delete(hash));
  if (!wasGood) await giveBackForNetworks(app, 'unknownPerAddress', address);
  remember(goodTokens, hash);
  return known;
}

function remember(tokens: GoodTokens, hash: string): void {
  tokens.add(hash);
  for (const oldest of tokens) {
    if (tokens.size <= mostGoodTokens) return;
    tokens.delete(oldest);
  }
}

/**
 * Whose cookie came along, which the session middleware has read; undefined for a stranger.
 * @throws ChatError rate_limited
 */
export async function identifyCookie(
  app: App,
  request: IncomingMessage,
): Promise<Known | undefined> {
  const { session, sessionID } = request as Request;
  if (session.signed) await app.limits.take('requestPerCredential', hashOf(sessionID));
  else await takeForNetworks(app, 'unknownPerAddress', addressOf(app.config, request));
  return callerOf(app, request);
}
