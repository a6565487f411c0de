/** Two nodes and their database, which can be killed, and restart. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query, type Db } from '../../server/database/database.ts';
import { Child } from '../../scripts/cluster/child.ts';
import { builtServer } from '../../scripts/cluster/cluster.ts';
import { freePort, openStores } from '../../scripts/cluster/place.ts';
import type { FileStore } from '../support/file-stores.ts';
import { until } from '../support/time.ts';
import { connect } from '../../server/database/connect.ts';

export type Place = Awaited<ReturnType<typeof openPlace>>;

export async function openPlace(store: FileStore, program = [builtServer]) {
  const directory = await mkdtemp(join(tmpdir(), 'parley-killed-'));
  await chmod(directory, 0o755);
  const stores = await openStores(join(directory, 'data'), undefined, () => undefined);
  const nodes: Child[] = [];
  const urls: string[] = [];
  for (let i = 0; i < 2; i += 1) {
    const port = await freePort();
    const env = {
      ...{ PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'silent' },
      ...{ DATABASE_URL: stores.databaseUrl, REDIS_URL: stores.redisUrl },
      ...{ PARLEY_RATE_SCALE: '100000', PARLEY_PASSWORD_COST: '4', ...store.settings },
    };
    nodes.push(
      new Child({ name: 'node', command: process.execPath, args: program, env }, () => undefined),
    );
    urls.push(`http://127.0.0.1:${port}`);
    // Waits for each node, because the first creates the tables.
    await nodes[i]?.greeting();
  }

  const onDatabase = async <T>(ask: (db: Db) => Promise<T>): Promise<T> => {
    const sequelize = connect(stores.databaseUrl, 1);
    try {
      return await ask({ sequelize });
    } finally {
      await sequelize.close();
    }
  };
  const ask = <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> =>
    onDatabase((db) => query<T>(db, sql, values));
  return {
    urls,
    onDatabase,
    query: ask,
    async allAnswer() {
      const answers = urls.map((url) => fetch(`${url}/readyz`).catch(() => undefined));
      return (await Promise.all(answers)).every((answer) => answer?.ok);
    },
    async killNode(i: number) {
      const { endings } = nodes[i]!;
      const before = endings.length;
      nodes[i]!.signal('SIGKILL');
      await until(() => endings.length > before);
    },
    /** The returned function crashes the database: PostgreSQL ends all processes when one is killed, and recovers. */
    async aimAtDatabase(): Promise<() => void> {
      const [backend] = await ask<{ pid: number }>(
        `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
      );
      return () => void process.kill(backend!.pid, 'SIGKILL');
    },
    /**
     * Returns a check that is true once a file of a message has moved after this call. The 200 ms leave out files whose
     * message is deleted right after it was sent.
     */
    async aimAtMove(): Promise<() => Promise<boolean>> {
      const [began] = await ask<{ at: string }>('select clock_timestamp()::text as at');
      const moved = `select 1 from files join messages on messages.id = message_id
        where moved_at > greatest($1::timestamptz, messages.created_at + interval '200 milliseconds')
          and not dropped limit 1`;
      return async () => (await ask(moved, [began!.at]).catch(() => [])).length > 0;
    },
    async close() {
      await Promise.all(nodes.map((node) => node.end()));
      await stores.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
