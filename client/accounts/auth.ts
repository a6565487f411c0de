/** Signing in, registering and visiting. Each success starts a new session, so the client reconnects. */
import type { Account, BotTokens } from '../../shared/accounts.ts';
import { ChatError } from '../../shared/failure.ts';
import { connection } from '../connection/connection.svelte.ts';
import { FormError, type FormFailure } from '../forms/form.svelte.ts';
import { NoResponse } from '../sync/connection.ts';

interface Bodies {
  register: { username: string; password: string; displayName?: string; invite?: string };
  login: { username: string; password: string; invite?: string };
  guest: { displayName: string; invite?: string };
  reset: { secret: string; password: string; bots: BotTokens };
}

interface Entered {
  user: Account;
  passwordResetAt: string;
}

export async function enterBy<D extends keyof Bodies>(door: D, body: Bodies[D]): Promise<Account> {
  return receive(await ask<Entered>(door, body));
}

/** Allows retries for about a minute. In the queue of password checks a retry has the age of the first attempt. */
const maxTries = 20;

/** Retries while the server is busy, until `left` is aborted. */
export async function signIn(body: Bodies['login'], left: AbortSignal): Promise<Account> {
  for (let tries = 1; ; tries += 1)
    try {
      return receive(await ask<Entered>('login', body));
    } catch (error) {
      if (!(error instanceof ChatError) || error.code !== 'busy' || tries === maxTries) throw error;
      await new Promise((over) => setTimeout(over, error.detail.retryAfterMs ?? 3_000));
      if (left.aborted) throw error;
    }
}

function receive({ user, passwordResetAt }: Partial<Entered>): Account {
  if (!user) throw new NoResponse('late');
  connection.passwordResetAt = passwordResetAt;
  return user;
}

/** The reason why a username cannot be used, as text; undefined if it is free. */
export const askWhyTaken = async (username: string, invite: string | undefined) =>
  (await ask<{ taken?: string }>('username', { username, ...(invite && { invite }) })).taken;

async function ask<T>(door: string, body: object): Promise<Partial<T>> {
  const response = await post(`/api/auth/${door}`, body);
  const answer = (await response.json().catch(() => ({}))) as Partial<T> & { error?: FormFailure };
  if (answer.error) throw new FormError(answer.error);
  if (!response.ok) throw new NoResponse('late');
  return answer;
}

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
