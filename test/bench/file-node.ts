/** A node as in production: a process of its own, with its own PostgreSQL, and files in one of the stores. */
import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { query } from '../../server/database/database.ts';
import type { fileStores } from '../support/file-stores.ts';
import { startNode } from '../support/node.ts';
import { until } from '../support/time.ts';
import { connect } from '../../server/database/connect.ts';
import { inFolder, lobbyOf, onPostgres } from './place.ts';

export type StoreOfFiles = (typeof fileStores)[number];

export interface FileNode {
  url: string;
  timelineId: string;
  pid: number;
  /** Resolves when all finished files have their final place. */
  settle: () => Promise<void>;
}

/** More than any run uses. */
const plenty = { PARLEY_FILE_DAY_MB: '1000000', PARLEY_FILES_GB: '1000000' };

export const onFileNode = <T>(
  { name, open }: StoreOfFiles,
  work: (node: FileNode) => Promise<T>,
): Promise<T> =>
  inFolder((folder) =>
    onPostgres(folder, async (where) => {
      const store = await open();
      const settings = { ...plenty, ...store.settings };
      const { url, process: child } = await startNode({ settings, where });
      const sequelize = connect(where, 1);
      const settle = () =>
        until(async () => {
          const left = await query(
            { sequelize },
            'select 1 from files where finished_at is not null and moved_at is null limit 1',
          );
          return left.length === 0;
        });
      try {
        const { channelId: timelineId } = await lobbyOf({ sequelize });
        return await work({
          ...{ url, timelineId, pid: child.pid ?? 0 },
          settle: name === 'S3' ? settle : () => Promise.resolve(),
        });
      } finally {
        await sequelize.close();
        child.kill();
        await once(child, 'exit');
        await store.close();
      }
    }),
  );

/** The memory of a process now, and its peak since `forgetMost`, in MB. On Linux only. */
export async function readMemory(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const of = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024) / 1e6;
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

export const forgetMost = (pid: number): Promise<void> =>
  writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
