/** A proxy in front of a node that can pretend that the node serves a newer build of the client, or is away. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface BuildProxy {
  url: string;
  /** From now on the page says that it is of this build, and the service worker saves its files under another hash. */
  build: string | undefined;
  /** Answers every request with this status instead. Connections that are upgraded are refused then. */
  status: number | undefined;
  close(): void;
}

export async function startBuildProxy(target: string): Promise<BuildProxy> {
  const { port } = new URL(target);
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  const forward = ({ url, method, headers }: IncomingMessage) => {
    // The node would answer that nothing has changed.
    const { 'if-none-match': _, 'if-modified-since': __, ...rest } = headers;
    const asked = { ...rest, 'accept-encoding': 'identity' };
    return request({ host: '127.0.0.1', port, path: url, method, headers: asked });
  };
  async function answer(incoming: IncomingMessage, outgoing: ServerResponse) {
    if (proxy.status !== undefined) {
      outgoing.writeHead(proxy.status).end();
      return;
    }
    const [found] = (await once(incoming.pipe(forward(incoming)), 'response')) as [IncomingMessage];
    const body = await buffer(found);
    const isChanged = proxy.build !== undefined && /html|javascript/.test(typeOf(found));
    const { etag: _, 'content-length': __, ...headers } = found.headers;
    outgoing.writeHead(found.statusCode ?? 500, isChanged ? headers : found.headers);
    outgoing.end(isChanged ? changed(body.toString(), proxy.build ?? '') : body);
  }
  server.on('upgrade', (incoming, socket) => {
    if (proxy.status !== undefined) return void socket.destroy();
    forward(incoming)
      .on('upgrade', (found, far, head) => {
        const lines = found.rawHeaders.map((part, i) =>
          i % 2 === 0 ? `${part}: ` : `${part}\r\n`,
        );
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
        socket.write(head);
        far.pipe(socket).pipe(far);
        far.on('error', () => socket.destroy());
        socket.on('error', () => far.destroy());
      })
      .on('error', () => socket.destroy())
      .end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: BuildProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    build: undefined,
    status: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}

const typeOf = ({ headers }: IncomingMessage) => headers['content-type'] ?? '';

const changed = (text: string, build: string) =>
  text
    .replace('<div id="app">', `<meta name="build" content="${build}"><div id="app">`)
    .replace(/shell\.\w{12}/, `shell.${build}`);
