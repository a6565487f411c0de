import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { startEmbedded } from '../../server/database/embedded.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';
import { Child } from './child.ts';

export interface Addresses {
  databaseUrl: string;
  redisUrl: string;
}

export interface Stores extends Addresses {
  redis: Child;
  close(): Promise<void>;
}

export async function openStores(
  directory: string,
  databaseUrl: string | undefined,
  log: (line: string) => void,
): Promise<Stores> {
  const postgres =
    databaseUrl === undefined
      ? await ownPostgres(directory, log)
      : { url: databaseUrl, stop: () => Promise.resolve() };
  const redis = await startRedis(join(directory, 'redis'), log);
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    redis: redis.child,
    async close() {
      await redis.child.end();
      await postgres.stop();
    },
  };
}

async function ownPostgres(directory: string, log: (line: string) => void) {
  const postgres = await startEmbedded(directory, log);
  return { url: addressOf(postgres.connection), stop: () => postgres.stop() };
}

/** Returns the address of a socket as PostgreSQL’s own programs write it. */
function addressOf({ host, port = 5432, database, user }: DatabaseAddress): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

async function startRedis(directory: string, log: (line: string) => void) {
  const port = await freePort();
  await mkdir(directory, { recursive: true });
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', resolve(directory)];
  const child = new Child(
    { name: 'redis-server', command: 'redis-server', args: [...args, '--appendonly', 'yes'] },
    log,
  );
  await child.greeting();
  return { child, url: `redis://127.0.0.1:${port}` };
}

/** Ports that were given out; their programs might not listen yet. */
const given = new Set<number>();

/** Returns each free port once, below the range that the system assigns to connections. */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000);
  if (given.has(port)) return freePort();
  given.add(port);
  const probe = createServer().listen(port, '127.0.0.1');
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return freePort();
  probe.close();
  await once(probe, 'close');
  return port;
}
