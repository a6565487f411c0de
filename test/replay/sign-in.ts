/** Signs in by HTTP, as a browser of the same origin does. */
import { NoResponse } from '../../client/sync/connection.ts';
import { SignedIn, type Account } from '../../shared/accounts.ts';
import { ChatError, type Failure } from '../../shared/failure.ts';
import { retryUntilAnswered } from './retry.ts';

export interface Signed {
  user: Account;
  cookie: string;
}

/** Waits as long as the server asks for. `address` is sent as the client address that a proxy would report. */
export const signIn = (
  url: string,
  door: 'register' | 'login' | 'guest',
  body: object,
  address?: string,
): Promise<Signed> => retryUntilAnswered(() => knock(url, door, body, address));

async function knock(url: string, door: string, body: object, address?: string): Promise<Signed> {
  const headers = address === undefined ? {} : { 'x-forwarded-for': address };
  const { response, reply } = await post(`${url}/api/auth/${door}`, body, headers).catch(() => {
    throw new NoResponse('lost');
  });
  if (!response.ok) throw refusal(reply);
  // Keeps both cookies, of the session and of the device, as a browser does.
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return { ...SignedIn.parse(reply), cookie: cookies.join('; ') };
}

/** Rejects also when the connection ends within the reply, or a load balancer replies with an HTML page. */
async function post(
  url: string,
  body: object,
  headers: Record<string, string>,
): Promise<{ response: Response; reply: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin, ...headers },
    body: JSON.stringify(body),
  });
  return { response, reply: await response.json() };
}

function refusal(reply: unknown): ChatError {
  const { code, message, ...detail } = (reply as { error: Failure }).error;
  return new ChatError(code, message, detail);
}
