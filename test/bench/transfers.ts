/** Whole files by HTTP, one after the other, with the same client for Parley and for the plain server. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';

/** The largest allowed file, of incompressible bytes. */
export const fileBytes = 25_000_000;
export const someFile = (): Buffer => randomBytes(fileBytes);

export interface Transfer {
  how: 'put' | 'get';
  url: string;
  cookie: string;
}

const agent = new Agent({ keepAlive: true });

export async function transferFor(
  { how, url, cookie }: Transfer,
  seconds: number,
): Promise<{ 'MB/s': number }> {
  const file = how === 'put' ? someFile() : undefined;
  const began = performance.now();
  const end = began + seconds * 1_000;
  let sent = 0;
  do {
    if (file === undefined) sent += (await get(url, cookie)).length;
    else {
      await put(url, cookie, file);
      sent += file.length;
    }
  } while (performance.now() < end);
  return { 'MB/s': sent / 1_000 / (performance.now() - began) };
}

export const put = async (url: string, cookie: string, file: Buffer): Promise<string> =>
  (await exchange(url, { method: 'PUT', headers: { cookie } }, file)).toString();

const get = (url: string, cookie: string): Promise<Buffer> =>
  exchange(url, { headers: { cookie } });

async function exchange(url: string, options: RequestOptions, body?: Buffer): Promise<Buffer> {
  const asked = request(url, { ...options, agent });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const pieces = (await answer.toArray()) as Buffer[];
  const whole = Buffer.concat(pieces);
  if ((answer.statusCode ?? 0) >= 300) throw new Error(whole.toString());
  return whole;
}
