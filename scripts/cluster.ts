/**
 * `npm run cluster`: runs Parley as in production, on one machine: three nodes behind HAProxy, joined by a
 * redis-server, on the embedded PostgreSQL or on DATABASE_URL. The load balancer listens on PORT. Everything is stored
 * in `data/cluster` or PARLEY_DATA. Programs that end are restarted; Ctrl-C ends all in order.
 */
import { startCluster } from './cluster/cluster.ts';

async function run(): Promise<void> {
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const starting = startCluster({
    port: Number(process.env.PORT ?? 3_000),
    directory: process.env.PARLEY_DATA ?? './data/cluster',
    databaseUrl: process.env.DATABASE_URL,
    log: say,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(
      signal,
      () => void starting.then((cluster) => cluster.close()).then(() => process.exit(0)),
    );
  const { greeting, nodes } = await starting;
  process.stdout.write(`${greeting}\n`);
  say(`Its three nodes: ${nodes.map(({ url }) => url).join(', ')}`);
}

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
