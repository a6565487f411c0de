import type { Account } from '../../shared/accounts.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Refusal } from '../../shared/protocol.ts';
import { query } from '../../server/database/database.ts';
import type { TestApp } from './app.ts';
import { openSocket } from './person.ts';

export interface AuthResponse {
  user?: Account;
  error?: Failure;
  fields?: Record<string, string>;
}
export const replyOf = async (response: Response) => (await response.json()) as AuthResponse;

let made = 0;
export const password = 'a long enough sentence';

export const newForm = (more: object = {}) => ({
  username: `someone.${(made += 1)}`,
  password,
  ...more,
});

/** Returns what a cookie gives access to: the gateway's status, and whether a socket is accepted. */
export async function opens(
  url: string,
  cookie: string,
): Promise<{ http: number; socket: string }> {
  const { status } = await fetch(`${url}/api/servers`, { headers: { cookie, origin: url } });
  const socket = openSocket(url, cookie);
  const outcome = await new Promise<string>((resolve) => {
    socket.once('ready', () => resolve('ready'));
    socket.once('connect_error', (error) =>
      resolve((error as Error & { data?: Refusal }).data?.code ?? error.message),
    );
  });
  socket.disconnect();
  return { http: status, socket: outcome };
}
export const alive = { http: 200, socket: 'ready' };
export const dead = { http: 401, socket: 'unauthenticated' };

export const countStoredSessions = async ({ db }: TestApp): Promise<number> =>
  (await query<{ count: number }>(db, 'select count(*) from sessions'))[0]?.count ?? 0;
