/** Signing in, registering and visiting. Each success starts a new session, so the client connects again. */
import type { Account, BotTokens } from '../../shared/accounts.ts';
import { connection } from '../connection/connection.svelte.ts';
import { FormError, type FormFailure } from '../forms/form.svelte.ts';
import { NoResponse } from '../sync/connection.ts';

interface Bodies {
  register: { username: string; password: string; displayName?: string; invite?: string };
  login: { username: string; password: string; invite?: string };
  guest: { displayName: string; invite?: string };
  reset: { secret: string; password: string; bots: BotTokens };
}

export async function enterBy<D extends keyof Bodies>(door: D, body: Bodies[D]): Promise<Account> {
  const { user, passwordResetAt } = await ask<{ user: Account; passwordResetAt: string }>(
    door,
    body,
  );
  if (!user) throw new NoResponse('late');
  connection.passwordResetAt = passwordResetAt;
  return user;
}

/** Why a username cannot be used, as text; undefined if it is free. */
export const askWhyTaken = async (username: string, invite: string | undefined) =>
  (await ask<{ taken?: string }>('username', { username, ...(invite && { invite }) })).taken;

/** For a minute: while too many sign in at once, whoever comes back keeps their place in the line. */
const maxTries = 20;

async function ask<T>(door: string, body: object): Promise<Partial<T>> {
  for (let tries = 1; ; tries += 1) {
    const response = await post(`/api/auth/${door}`, body);
    const answer = (await response.json().catch(() => ({}))) as Partial<T> & {
      error?: FormFailure;
    };
    if (answer.error?.code === 'busy' && tries < maxTries) {
      await new Promise((over) => setTimeout(over, answer.error?.retryAfterMs ?? 3_000));
      continue;
    }
    if (answer.error) throw new FormError(answer.error);
    if (!response.ok) throw new NoResponse('late');
    return answer;
  }
}

/** Connects with the new session, after `enterBy`. */
export const reconnectSignedIn = () => {
  connection.reconnect();
};

async function post(path: string, body: object): Promise<Response> {
  try {
    return await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new NoResponse('lost');
  }
}
