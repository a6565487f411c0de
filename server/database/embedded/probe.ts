import { stat } from 'node:fs/promises';
import pg from 'pg';
import type { DatabaseAddress } from '../connect.ts';
import { superuser } from './cluster.ts';

/** `recovering`: PostgreSQL answers that it is starting up or shutting down. */
export type ProbeResult = 'ready' | 'recovering' | 'silent';

const cannotConnectNow = '57P03';

export const connectionBy = (socketDirectory: string, database = 'parley'): DatabaseAddress => ({
  host: socketDirectory,
  port: 5432,
  database,
  user: superuser,
});

/** Times out quickly: a frozen server counts as silent. */
export async function probe(socketDirectory: string, cluster: string): Promise<ProbeResult> {
  const client = new pg.Client({
    ...connectionBy(socketDirectory, 'postgres'),
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return (await isSame(rows[0]?.data_directory, cluster)) ? 'ready' : 'silent';
  } catch (error) {
    return (error as { code?: string }).code === cannotConnectNow ? 'recovering' : 'silent';
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function isSame(one: string | undefined, other: string): Promise<boolean> {
  if (one === undefined) return false;
  const [a, b] = await Promise.all([stat(one), stat(other)]);
  return a.dev === b.dev && a.ino === b.ino;
}
