/** A connection between two parts, which a test can cut, or let fall silent. */
import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Proxy {
  port: number;
  cut(): void;
  /** Open connections stay open, but never pass anything again: they are half-open. New ones work. */
  silence(): void;
  hold(): void;
  /** Delays everything from now on, in milliseconds each way. */
  slow(ms: number): void;
  /** Shows all pieces to `seen` until it returns true: then that piece and all later ones are lost. */
  tap(seen: Tap | undefined): void;
  /** Everything works again, except connections that were cut or silenced. */
  mend(): void;
  /** New connections go there. Open ones stay where they are. */
  leadTo(target: ProxyTarget): void;
  close(): void;
}

/** Receives a piece, its direction and its connection. Returns true to stop it. */
export type Tap = (piece: Buffer, way: 'there' | 'back', connection: object) => boolean;

/** A Unix socket, or a port of the loopback. */
export type ProxyTarget = { path: string } | { port: number };

/** Listens on a free port of the loopback, and passes everything on at once: no piece waits for an acknowledgment. */
export async function startProxy(target: ProxyTarget): Promise<Proxy> {
  const pairs = new Set<[near: Socket, far: Socket]>();
  let accepting = true;
  let holding = false;
  let latency = 0;
  let tapped: Tap | undefined;
  const server = createServer({ noDelay: true }, (near) => {
    if (!accepting) return void near.destroy();
    const far = createConnection({ ...target, noDelay: true });
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    const stops = (piece: Buffer, way: 'there' | 'back') => {
      if (tapped?.(piece, way, pair) !== true) return false;
      tapped = undefined;
      for (const socket of pair) socket.destroy();
      return true;
    };
    for (const [one, other, way] of [
      [near, far, 'there'],
      [far, near, 'back'],
    ] as const) {
      one
        .pipe(
          late(
            () => latency,
            (piece) => stops(piece, way),
          ),
        )
        .pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
      if (holding) one.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const each = (act: (socket: Socket) => void) => {
    for (const pair of pairs) for (const socket of pair) act(socket);
  };
  const cut = () => {
    accepting = false;
    each((socket) => socket.destroy());
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    silence() {
      each((socket) => socket.unpipe().pause());
    },
    hold() {
      holding = true;
      each((socket) => socket.pause());
    },
    slow(ms) {
      latency = ms;
    },
    tap(seen) {
      tapped = seen;
    },
    mend() {
      accepting = true;
      if (holding) each((socket) => socket.resume());
      holding = false;
      tapped = undefined;
    },
    leadTo(other) {
      target = other;
    },
    close() {
      cut();
      server.close();
    },
  };
}

/** Passes pieces on later, in the same order, unless `stops` stops one. */
function late(latency: () => number, stops: (piece: Buffer) => boolean): Transform {
  let before: Promise<unknown> = Promise.resolve();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (stops(chunk)) return;
      if (latency() > 0) before = Promise.all([before, sleep(latency())]);
      before = before.then(() => this.push(chunk));
      done();
    },
    flush(done) {
      void before.then(() => done());
    },
  });
}
