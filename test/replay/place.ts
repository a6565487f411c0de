/** Nodes for a replay, each in its own process, with an embedded PostgreSQL that is deleted afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from '../../server/database/database.ts';
import { startEmbedded } from '../../server/database/embedded.ts';
import { startNode } from '../support/node.ts';
import { ownRedis, stopRedis } from '../support/redis.ts';
import { connect, type DatabaseAddress } from '../../server/database/connect.ts';

export interface ReplayPlace {
  urls: string[];
  /** Only for `ownPlace`. */
  db?: Db;
  close(): Promise<void>;
}

/** A running server, which is not started or stopped here. */
export const foreignPlace = (url: string): ReplayPlace => ({
  urls: [new URL(url).origin],
  close: () => Promise.resolve(),
});

export async function ownPlace(count: number): Promise<ReplayPlace> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-replay-'));
  const postgres = await startEmbedded(join(directory, 'data'));
  const sequelize = connect(postgres.connection, 1);
  const nodes: Awaited<ReturnType<typeof startNode>>[] = [];
  const close = async () => {
    for (const { process } of nodes) process.kill('SIGKILL');
    await sequelize.close();
    await stopRedis();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    nodes.push(...(await startNodes(count, postgres.connection)));
    return { urls: nodes.map(({ url }) => url), db: { sequelize }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts one node after the other, because the first creates the tables. */
async function startNodes(count: number, where: DatabaseAddress) {
  const settings: Record<string, string> = { LOG_LEVEL: 'error', PARLEY_RATE_SCALE: '1000000' };
  if (count > 1) settings.REDIS_URL = (await ownRedis()).url;
  const nodes: Awaited<ReturnType<typeof startNode>>[] = [];
  while (nodes.length < count) nodes.push(await startNode({ settings, where }));
  return nodes;
}
