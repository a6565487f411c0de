/**
 * Limits come before the database. A guess counts for its address. A cookie that we signed, or a token that was valid
 * recently, counts by itself, so that nobody at the same address can lock its holder out.
 */
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { ChatError } from '../../shared/failure.ts';
import { addressOf, giveBackForNetworks, takeForNetworks } from '../http/address.ts';
import type { Context } from '../caller.ts';
import type { Identity } from '../realtime/chat-socket.ts';
import { hashOf } from './cookies.ts';
import { botIdentity, sessionIdentity } from './sessions.ts';

export function credentialOf(request: IncomingMessage, token: unknown): string | undefined {
  if (token !== undefined) return hashOf(typeof token === 'string' ? token : '');
  const { session, sessionID } = request as Request;
  return session.signed && hashOf(sessionID);
}

export async function identifyToken(
  context: Context,
  request: IncomingMessage,
  token: unknown,
): Promise<Identity> {
  const { node } = context;
  const { limits, cluster } = node;
  const hash = hashOf(typeof token === 'string' ? token : '');
  const address = addressOf(node.config, request);
  const wasLive = await cluster.sessions.has(hash);
  if (wasLive) await limits.take('requestPerCredential', hash);
  else await takeForNetworks(node, 'unknownPerAddress', address);
  const known = await botIdentity(context, token);
  if (known === undefined) {
    if (wasLive) await cluster.sessions.delete(hash);
    throw new ChatError(
      'unauthenticated',
      'This token isn’t valid, or no longer is. Its owner can make a new one in the settings, under Bots.',
    );
  }
  if (!wasLive) {
    await giveBackForNetworks(node, 'unknownPerAddress', address);
    await cluster.sessions.add(hash);
  }
  return known;
}

export async function identifyCookie(
  context: Context,
  request: IncomingMessage,
): Promise<Identity | undefined> {
  const { node } = context;
  const { limits, cluster } = node;
  const { session, sessionID } = request as Request;
  if (!session.signed) {
    await takeForNetworks(node, 'unknownPerAddress', addressOf(node.config, request));
    return undefined;
  }
  const hash = hashOf(sessionID);
  const wasLive = await cluster.sessions.has(hash);
  // A lower limit for sessions that were not live recently, because anybody can collect cookies of ended ones.
  await limits.take(wasLive ? 'requestPerCredential' : 'unknownPerCredential', hash);
  const known = await sessionIdentity(context, request);
  if (known === undefined) await cluster.sessions.delete(hash);
  else if (!wasLive) await cluster.sessions.add(hash);
  return known;
}
