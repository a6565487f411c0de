/** Builds that break one rule of files each, and the finding that each must cause. */
import type { Broken } from '../chaos/broken.ts';
import type { FileFinding } from './check.ts';
import type { FileFault } from './run.ts';

export interface FileBreakage extends Broken {
  store: 'PostgreSQL' | 'S3';
  uploaders: number;
  faults: readonly FileFault[];
  timeoutS: number;
  as: FileFinding;
}

const onDatabase = { store: 'PostgreSQL', uploaders: 1, timeoutS: 10 } as const;

export const fileBreakages: FileBreakage[] = [
  {
    rule: 'acknowledges a chunk before it is stored',
    file: 'files/upload-store.js',
    instead: [
      'const [file] = await query(db, adding, values);',
      `setTimeout(() => query(db, adding, values).catch(() => undefined), 300);
       const [file] = [{ received: offset + bytes.length }];`,
    ],
    ...onDatabase,
    uploaders: 4,
    faults: ['both nodes', 'both nodes'],
    // Short, because the stuck upload never ends.
    timeoutS: 5,
    as: 'stuck',
  },
  {
    rule: 'finishes a file without waiting for the commit',
    file: 'files/upload-store.js',
    instead: [
      'sizes = $8::jsonb, beside = $9\n',
      "sizes = $8::jsonb, beside = $9 from set_config('synchronous_commit', 'off', true)\n",
    ],
    ...onDatabase,
    faults: ['database at a finish', 'database at a finish'],
    as: 'lost',
  },
  {
    rule: 'marks an object as moved before it is whole',
    file: 'files/moving.js',
    instead: [
      'const [written] = await Promise.allSettled([objects.write(object, size, bytes, stop)]);',
      `const kept = []; for await (const piece of bytes) kept.push(piece);
       const written = { status: 'fulfilled' };`,
    ],
    also: {
      file: 'files/moving.js',
      instead: [
        'await store.noteIfUnused(db, file)',
        `await new Promise((go) => setTimeout(go, 1_000));
         await objects.write(object, size, (async function* () { yield* kept; })());
         await store.noteIfUnused(db, file)`,
      ],
    },
    store: 'S3',
    uploaders: 4,
    faults: ['both nodes at a move'],
    timeoutS: 10,
    as: 'lost',
  },
  {
    rule: 'treats the files of a message as left over',
    file: 'files/store.js',
    instead: [
      'message_id is null and owner_id is null and created_at <',
      'owner_id is null and created_at <',
    ],
    ...onDatabase,
    faults: [],
    as: 'lost',
  },
  {
    rule: 'keeps the files of a deleted message',
    file: 'files/store.js',
    instead: [
      "'update files set dropped = true where message_id = any($1::uuid[]) and not dropped'",
      "'select 1 where $1::uuid[] is null'",
    ],
    ...onDatabase,
    faults: [],
    // Long enough for a sweep, which runs once a second.
    timeoutS: 2,
    as: 'kept',
  },
];
