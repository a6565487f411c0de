/** The nodes that run on this database. Each writes its row every 10 seconds; a row older than 30 seconds does not count. */
import type { Output } from '../../shared/protocol.ts';
import type { Context, Node } from '../caller.ts';
import { query, type Db } from '../database/database.ts';
import { attempt } from '../node/attempt.ts';
import { perNode } from '../node/per-node.ts';
import { every } from '../node/timer.ts';
import { version } from '../node/version.ts';

type RunningNode = Output<'instance:get'>['nodes'][number];

const beatMs = 10_000;
const silentSeconds = 30;

const self = perNode(({ id }: Pick<Node, 'id'>): RunningNode => ({
  id,
  version,
  startedAt: new Date().toISOString(),
}));

export function watchNodes({ node, db }: Context): () => Promise<void> {
  const beat = () => noteRunning(db, self(node));
  const first = attempt(node, 'nodes', beat);
  const stop = every(node, beatMs, 'nodes', beat);
  return async () => {
    // A beat under way would insert the row again.
    await Promise.all([first, stop()]);
    await attempt(node, 'nodes', () => query(db, 'delete from nodes where id = $1', [node.id]));
  };
}

/** Skips rows that another node has locked, because two nodes that return after a silence would otherwise deadlock. */
async function noteRunning(db: Db, { id, version, startedAt }: RunningNode): Promise<void> {
  await query(
    db,
    `with silent as (
       delete from nodes where id in (
         select id from nodes where seen_at < now() - interval '${silentSeconds} seconds' and id <> $1
         for update skip locked)
     )
     insert into nodes (id, version, started_at) values ($1, $2, $3)
     on conflict (id) do update set seen_at = now()`,
    [id, version, startedAt],
  );
}

const maxListed = 100;

/** Returns the node that answers, then the others by start time. */
export async function runningNodes(db: Db, node: Node): Promise<RunningNode[]> {
  const others = await query<Omit<RunningNode, 'startedAt'> & { startedAt: Date }>(
    db,
    `select id, version, started_at as "startedAt" from nodes
     where id <> $1 and seen_at >= now() - interval '${silentSeconds} seconds'
     order by started_at, id limit ${maxListed}`,
    [node.id],
  );
  return [
    self(node),
    ...others.map(({ startedAt, ...one }) => ({ ...one, startedAt: startedAt.toISOString() })),
  ];
}
