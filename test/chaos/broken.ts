/** Builds that break one rule each: copies of the built server with one piece of text replaced. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FindingKind } from './findings.ts';
import type { ChaosPlan } from './run.ts';

interface Replacement {
  /** Path in dist/server. */
  file: string;
  instead: [of: string, put: string];
}

export interface Broken extends Replacement {
  rule: string;
  /** A second replacement, without which the check would catch the build only by chance. */
  also?: Replacement;
}

export interface Breakage extends Broken {
  plan: Partial<ChaosPlan>;
  /** The check must report at least one of these. */
  as: FindingKind[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs `work` on a broken build. @throws Error if the text does not occur exactly once, or the result is no program */
export async function withBroken<T>(
  broken: Broken,
  work: (program: string[]) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-broken-'));
  try {
    await cp(join(root, 'dist'), join(directory, 'dist'), { recursive: true });
    await cp(join(root, 'package.json'), join(directory, 'package.json'));
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    for (const replacement of replacementsOf(broken))
      await replace(join(directory, 'dist/server'), replacement);
    return await work([join(directory, 'dist/server/main.js')]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Makes the files of a broken build without the rest of it. @throws Error, as `withBroken` */
export async function checkBroken(broken: Broken): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-broken-'));
  try {
    // The files are modules because of this.
    await cp(join(root, 'package.json'), join(directory, 'package.json'));
    for (const { file } of replacementsOf(broken))
      await cp(join(root, 'dist/server', file), join(directory, file));
    for (const replacement of replacementsOf(broken)) await replace(directory, replacement);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const replacementsOf = ({ also, ...first }: Broken): Replacement[] => [
  first,
  ...(also ? [also] : []),
];

async function replace(folder: string, { file, instead: [of, put] }: Replacement): Promise<void> {
  const path = join(folder, file);
  const pieces = (await readFile(path, 'utf8')).split(of);
  if (pieces.length !== 2)
    throw new Error(`${file} contains this text ${pieces.length - 1} times instead of once: ${of}`);
  await writeFile(path, pieces.join(put));
  // A build with an error of syntax would not start, which proves nothing.
  await promisify(execFile)(process.execPath, ['--check', path]);
}

export const breakages: Breakage[] = [
  {
    rule: 'publishes before the commit',
    file: 'messages/flush.js',
    instead: [
      '(db) => write(node, db, batch, locking)',
      'async (db) => { const done = await write(node, db, batch, locking); node.fanout.publish(done); return done; }',
    ],
    plan: {
      injections: [withFault('node killed before COMMIT'), withFault('node killed before COMMIT')],
    },
    as: ['out of order', 'different'],
  },
  {
    rule: 'drops one broadcast in a hundred',
    file: 'realtime/sockets.js',
    instead: [
      "this.#io.local.to(changes.room).emit('changes', changes);",
      "if (Math.random() > 0.01) this.#io.local.to(changes.room).emit('changes', changes);",
    ],
    plan: { calmOperations: 600, pause: 150 },
    as: ['lost on the way'],
  },
  {
    rule: 'ignores the id',
    file: 'messages/messages.js',
    instead: [
      "do: 'send', user, timelineId, id, body",
      "do: 'send', user, timelineId, id: v7(), body",
    ],
    plan: { injections: [withFault('same id on two nodes')] },
    as: ['doubled'],
  },
  {
    rule: 'ignores a kick',
    file: 'realtime/sockets.js',
    instead: ['void socket.leave(room);', ''],
    plan: { calmOperations: 200, pause: 200 },
    as: ['after access ended'],
  },
  {
    rule: 'leaves ended sessions open',
    file: 'realtime/sockets.js',
    instead: ['void socket.data.answers.end().then(close, close);', 'void close;'],
    plan: { calmOperations: 150, pause: 200 },
    as: ['after access ended'],
  },
  {
    rule: 'never closes a client that reads nothing',
    file: 'realtime/backpressure.js',
    instead: ['if (!isOver)', 'if (isOver || !isOver)'],
    // Pings would close the connection, too: later, but on a busy machine still before the check.
    also: { file: 'open-node.js', instead: ['connectTimeout: 10_000', 'pingTimeout: 300_000'] },
    plan: { injections: [withFault('client reads nothing')] },
    as: ['not closed'],
  },
  {
    rule: 'forgets tombstones',
    file: 'messages/store.js',
    instead: [
      'from messages where timeline_id = $1 and version > $2',
      'from messages where timeline_id = $1 and version > $2 and deleted_at is null',
    ],
    plan: { injections: [withFault('clients flap')], pause: 200 },
    as: ['different'],
  },
  {
    rule: 'skips the version check',
    file: 'realtime/version-check.js',
    instead: ['if (rooms.length === 0)', 'if (rooms.length >= 0)'],
    // With this seed, all three nodes are partitioned both times; a single node can have no clients.
    plan: { seed: 7, injections: [withFault('Redis partitioned'), withFault('Redis partitioned')] },
    as: ['not healed', 'different'],
  },
  {
    rule: 'takes a promoted standby for the former primary',
    file: 'node/instance.js',
    instead: [
      'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)',
      '(select timeline_id from pg_control_checkpoint())',
    ],
    plan: { injections: [{ faults: ['PostgreSQL standby promoted'], quietly: false }], pause: 200 },
    as: ['not healed', 'different', 'out of order'],
  },
];

function withFault(fault: NonNullable<ChaosPlan['injections']>[0]['faults'][0]) {
  return { faults: [fault], quietly: true };
}
