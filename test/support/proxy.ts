/** A wire between two parts that a test may cut, or let fall silent. */
import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Proxy {
  port: number;
  /** Ends all connections, and takes no more. */
  cut(): void;
  /** What is open stays open, and nothing comes through it any more, ever: half-open connections. New ones work. */
  silence(): void;
  /** Nothing comes through, until `mend`. */
  hold(): void;
  /** From now on everything takes this long, in milliseconds, each way. */
  slow(ms: number): void;
  /** Shows all that comes by until it says that it has seen enough: then that piece and what follows it are lost. */
  tap(seen: Tap | undefined): void;
  /** Everything works again, but for what was cut or silenced. */
  mend(): void;
  /** New connections lead there; what is open stays where it is. */
  leadTo(target: ProxyTarget): void;
  close(): void;
}

/** Which way a piece goes, and on which connection. True: it does not pass. */
export type Tap = (piece: Buffer, way: 'there' | 'back', connection: object) => boolean;

/** A Unix socket, or a port of the loopback. */
export type ProxyTarget = { path: string } | { port: number };

/** Listens on a free port of the loopback, and passes everything on at once: no piece waits for the other end's word. */
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

/** Passes on what it gets, later, in the same order, unless it `stops` there. */
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
