/** The three Express endpoints, as a browser of the same site uses them. */
import { NoResponse } from '../../client/sync/connection.ts';
import { SignedIn, type Account } from '../../shared/accounts.ts';
import { ChatError, type Failure } from '../../shared/failure.ts';
import { patiently } from './patience.ts';

export interface Signed {
  user: Account;
  cookie: string;
}

/**
 * Somebody new, or by `login` somebody known. Waits as long as the server asks for. An `address` is where a proxy
 * would say that they come from.
 */
export const signIn = (
  url: string,
  door: 'register' | 'login' | 'guest',
  body: object,
  address?: string,
): Promise<Signed> => patiently(() => knock(url, door, body, address));

async function knock(url: string, door: string, body: object, address?: string): Promise<Signed> {
  const headers = address === undefined ? {} : { 'x-forwarded-for': address };
  const { response, reply } = await post(`${url}/api/auth/${door}`, body, headers).catch(() => {
    throw new NoResponse('lost');
  });
  if (!response.ok) throw refusal(reply);
  // Of the session, and of the device: both are kept, as a browser does.
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return { ...SignedIn.parse(reply), cookie: cookies.join('; ') };
}

/** Rejects, too, when the connection ends within the reply, or a load balancer answers with a page of its own. */
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
