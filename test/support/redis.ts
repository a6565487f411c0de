/** The tests' Redis: a real one on a free port, started once for the run, and others that a test can kill. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { freePort } from '../../scripts/cluster/place.ts';
import { until } from './time.ts';

export interface TestRedis {
  url: string;
  /** Kills it, as in a crash: all data is lost. */
  stop(): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

const running = new Set<ChildProcess>();
let shared: Promise<{ url: string }> | undefined;

/** Shared by the test files of a run, so it refuses to flush, and to kill or pause clients: use `ownRedis` for that. */
export async function sharedRedis(): Promise<{ url: string }> {
  const url = process.env.TEST_REDIS;
  shared ??= url === undefined ? ownRedis(undisturbed) : Promise.resolve({ url });
  return shared;
}

const undisturbed = [
  ...['--user', 'default', 'on', 'nopass', '~*', '&*', '+@all'],
  ...['-flushall', '-flushdb', '-client|kill', '-client|pause'],
];

/** Starts it for this process and the processes that it starts later. */
export async function offerRedis(): Promise<void> {
  process.env.TEST_REDIS = (await sharedRedis()).url;
}

export const freshPrefix = () => `test-${randomUUID()}:`;

export async function ownRedis(options: string[] = []): Promise<TestRedis> {
  const port = await freePort();
  let server = await launch(port, options);
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      // A frozen process could not end otherwise.
      server.kill('SIGKILL');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      running.delete(server);
    },
    async start() {
      server = await launch(port, options);
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
  };
}

export async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  return work(redis).finally(() => redis.disconnect());
}

export async function stopRedis(): Promise<void> {
  const servers = [...running];
  running.clear();
  shared = undefined;
  delete process.env.TEST_REDIS;
  await Promise.all(
    servers.map(async (server) => {
      server.kill('SIGKILL');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    }),
  );
}

async function launch(port: number, options: string[]): Promise<ChildProcess> {
  // No persistence, and local connections only. The run finds this process by the folder on its
  // command line, which a process title would overwrite.
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  args.push('--dir', tmpdir(), '--set-proc-title', 'no', ...options);
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  running.add(server);
  const failed = new Promise<never>((_resolve, reject) => {
    server.once('error', (error) =>
      reject(new Error(`This needs redis-server on the PATH: install Redis. (${error.message})`)),
    );
    server.once('exit', () => reject(new Error(`redis-server did not start on port ${port}`)));
  });
  failed.catch(() => undefined);
  await Promise.race([failed, until(() => answers(port))]);
  return server;
}

async function answers(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
