import { quotas } from '../../shared/quotas.ts';
import type { Task, TaskReport } from '../administration/task.ts';
import type { Context } from '../caller.ts';
import { storageLimit } from './allowance.ts';
import { countObjects } from './moving-store.ts';
import { largestUploaders, usedBytes } from './usage-store.ts';

export const fileTasks = new Map<string, Task>([
  ['usage', { usage: 'usage', words: 0, run: usage }],
]);

async function usage({ node: { config }, db }: Context): Promise<TaskReport> {
  const [bytes, objects, people] = await Promise.all([
    usedBytes(db),
    countObjects(db),
    largestUploaders(db, quotas.largestUploaders),
  ]);
  const limit = storageLimit({ config });
  const lines = people.map(
    (one) =>
      `${megabytes(one.bytes).padStart(12)}  ${String(one.files).padStart(7)}  ${one.name || 'deleted accounts'}`,
  );
  const said = [
    `Files take ${megabytes(bytes)} of ${megabytes(limit)} (PARLEY_FILES_GB).`,
    `A file can be up to ${config.PARLEY_FILE_MB} MB, and a person can upload ${config.PARLEY_FILE_DAY_MB} MB a day.`,
    ...(objects === 0 ? [] : [`Files in the object store: ${objects.toLocaleString('en')}.`]),
    ...(lines.length === 0
      ? []
      : ['', `${'Size'.padStart(12)}  ${'Files'.padStart(7)}  Uploaded by`]),
    ...lines,
  ].join('\n');
  return { said, facts: { bytes, limit, objects, people } };
}

const megabytes = (bytes: number) =>
  `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
