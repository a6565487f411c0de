/** The file stores, for tests that hold for each. S3 is s3rver, an independent server. */
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import { query, type Db } from '../../server/database/database.ts';
import type { TestApp } from './app.ts';
import { until } from './time.ts';

export interface FileStore {
  settings: Record<string, string>;
  /** The stored bytes of each file, by its id, wherever they are. */
  sizes(db: Db): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

const postgres: FileStore = {
  settings: {},
  sizes: sizesInDatabase,
  close: () => Promise.resolve(),
};

export const fileStores: readonly { name: string; open: () => Promise<FileStore> }[] = [
  { name: 'PostgreSQL', open: () => Promise.resolve(postgres) },
  { name: 'S3', open: openBucket },
];

async function sizesInDatabase(db: Db): Promise<Map<string, number>> {
  const rows = await query<{ id: string; size: number }>(
    db,
    'select file_id as id, sum(length(bytes))::int as size from file_chunks group by file_id',
  );
  return new Map(rows.map(({ id, size }) => [id, size]));
}

/** Credentials for this process and the processes that it starts later. */
export const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export interface ObjectBucket extends FileStore {
  objects(): Promise<Map<string, number>>;
  write(id: string, bytes: Uint8Array): Promise<void>;
  /** Makes the bucket refuse as if it were deleted, or restores it. */
  refuse(does: boolean): Promise<void>;
}

export async function openBucket(): Promise<ObjectBucket> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-s3-'));
  const options = { address: '127.0.0.1', port: 0, silent: true, directory };
  const server = new S3rver({ ...options, configureBuckets: [{ name: 'parley', configs: [] }] });
  const { port } = await server.run();
  Object.assign(process.env, keys);
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1' });
  const objects = async () => {
    const list = new ListObjectsV2Command({ Bucket: 'parley', Prefix: 'files/' });
    const { Contents = [] } = await client.send(list);
    return new Map(
      Contents.map(({ Key = '', Size = 0 }) => [Key.slice('files/'.length), Size] as const),
    );
  };
  return {
    settings: { ...keys, PARLEY_FILES: `s3://parley/files?endpoint=${endpoint}` },
    objects,
    async write(id, Body) {
      await client.send(new PutObjectCommand({ Bucket: 'parley', Key: `files/${id}`, Body }));
    },
    async refuse(does) {
      const names = ['parley', 'elsewhere'].map((name) => join(directory, name)) as [
        string,
        string,
      ];
      const [from, to] = does ? names : names.reverse();
      await rename(from!, to!);
    },
    sizes: async (db) => new Map([...(await sizesInDatabase(db)), ...(await objects())]),
    async close() {
      client.destroy();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Waits until every finished file is in its final place. */
export async function settle(test: TestApp): Promise<void> {
  const { db, config } = test;
  if (config.PARLEY_FILES === undefined) return;
  await until(async () => {
    test.pass(1_000);
    const left = await query(
      db,
      `select 1 from files where finished_at is not null and (moved_at is null) = $1 and not dropped limit 1`,
      [config.PARLEY_FILES_IN === 'store'],
    );
    return left.length === 0;
  });
}
