/** A proxy in front of an object store, which can hold, refuse or cut off requests. */
import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ObjectBucket } from './file-stores.ts';

/** A number is a status to answer instead of the store. */
export type Verdict = 'forward' | 'lose the answer' | 'cut off the answer' | number;

/** `name`: what the request does, and the number of its part. */
export type Judge = (name: string, request: IncomingMessage) => Verdict | Promise<Verdict>;

export interface StoreProxy {
  settings: Record<string, string>;
  judge: Judge;
  /** The names of all requests so far. */
  readonly seen: string[];
  close(): void;
}

export async function openProxy({ settings }: ObjectBucket): Promise<StoreProxy> {
  const url = new URL(settings.PARLEY_FILES!);
  const { hostname, port } = new URL(url.searchParams.get('endpoint')!);
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const name = nameOf(request);
    seen.push(name);
    const forward = (verdict: Verdict) => {
      const { method, url: path, headers } = request;
      const onward = ask({ hostname, port, method, path, headers }, (answer) => {
        if (verdict === 'lose the answer') {
          answer.resume().once('end', () => response.destroy());
          return;
        }
        response.writeHead(answer.statusCode!, answer.headers);
        if (verdict === 'cut off the answer') {
          answer.once('data', (bytes) => response.write(bytes, () => response.destroy()));
          return;
        }
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    };
    void Promise.resolve(proxy.judge(name, request)).then((verdict) => {
      if (typeof verdict !== 'number') {
        forward(verdict);
        return;
      }
      request.resume();
      response.writeHead(verdict).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url.searchParams.set('endpoint', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const proxy: StoreProxy = {
    settings: { ...settings, PARLEY_FILES: url.href },
    judge: () => 'forward',
    seen,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}

function nameOf({ method, url = '' }: IncomingMessage): string {
  const [path = '', query] = url.split('?');
  const asked = new URLSearchParams(query);
  if (path.endsWith('/check')) return 'check';
  if (asked.has('partNumber')) return `part ${asked.get('partNumber')}`;
  if (asked.has('uploads')) return 'begin';
  if (asked.has('uploadId')) return method === 'POST' ? 'complete' : 'abort';
  return { PUT: 'write', GET: 'read', DELETE: 'remove' }[method ?? ''] ?? `${method}`;
}
