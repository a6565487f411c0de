/** The faults. Each runs until the damage is repaired, and returns how often it fired. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { query } from '../../server/database/database.ts';
import type { Random } from '../support/generate.ts';
import type { Proxy } from '../support/proxy.ts';
import type { Child } from '../../scripts/cluster/child.ts';
import type { OperationLog } from './asking.ts';
import { atCommit } from './commits.ts';
import type { Crowd } from './crowd.ts';
import { promoteStandby } from './failover.ts';
import type { History } from './history.ts';
import type { Node, ChaosCluster } from './place.ts';
import { stall } from './stall.ts';
import type { Traffic } from './traffic.ts';

export interface FaultTargets {
  place: ChaosCluster;
  crowd: Crowd;
  traffic: Traffic;
  log: OperationLog;
  history: History;
  random: Random;
}

export interface Fault {
  /** Approximate duration in seconds. */
  seconds: number;
  run(field: FaultTargets): Promise<number>;
}

const frozen = (seconds: number): Fault => ({
  seconds,
  async run({ place, random }) {
    const { child } = random.pick(place.nodes);
    child.signal('SIGSTOP');
    await sleep(seconds * 1_000);
    child.signal('SIGCONT');
    return 1;
  },
});

export const faults = {
  'node killed': {
    seconds: 3,
    async run({ place, random }) {
      await endAndReturn(random.pick(place.nodes), 'SIGKILL');
      return 1;
    },
  },
  'node killed before COMMIT': killedAt('before'),
  'node killed after COMMIT': killedAt('after'),
  'node frozen 5 s': frozen(5),
  'node frozen 15 s': frozen(15),
  'node frozen 30 s': frozen(30),
  'rolling restart': {
    seconds: 12,
    async run({ place }) {
      for (const node of place.nodes) await endAndReturn(node, 'SIGTERM');
      return place.nodes.length;
    },
  },
  'clock jumps': {
    seconds: 6,
    async run({ place, random }) {
      const { child } = random.pick(place.nodes);
      for (let i = 0; i < 2; i += 1) {
        child.signal('SIGUSR2');
        await sleep(3_000);
      }
      return 2;
    },
  },
  'Redis restarts': {
    seconds: 3,
    run: ({ place }) => endsOnce(place.redis),
  },
  'Redis partitioned': {
    seconds: 6,
    run: (field) => onSome(field, ({ toRedis }) => toRedis, hold),
  },
  'Redis emptied': {
    seconds: 3,
    async run({ place }) {
      const redis = new Redis(place.redisUrl);
      await redis.flushall();
      redis.disconnect();
      await sleep(3_000);
      return 1;
    },
  },
  'Redis slow for a node': {
    seconds: 6,
    async run({ place, random }) {
      const { toRedis } = random.pick(place.nodes);
      toRedis.slow(700);
      await sleep(6_000);
      toRedis.slow(0);
      return 1;
    },
  },
  'PostgreSQL crashes': {
    seconds: 3,
    async run({ place }) {
      const [backend] = await query<{ pid: number }>(place.db, 'select pg_backend_pid() as pid');
      // When a backend is killed, PostgreSQL ends all connections and goes through crash recovery.
      if (backend) process.kill(backend.pid, 'SIGKILL');
      await sleep(3_000);
      return 1;
    },
  },
  'PostgreSQL half-open': {
    seconds: 3,
    async run(field) {
      const fired = some(field, ({ toPostgres }) => toPostgres);
      for (const wire of fired) wire.silence();
      await sleep(3_000);
      return fired.length;
    },
  },
  'PostgreSQL ends connections': {
    seconds: 4,
    async run({ place }) {
      let ended = 0;
      for (let i = 0; i < 8; i += 1) {
        ended += await endConnections(place);
        await sleep(500);
      }
      return ended;
    },
  },
  'PostgreSQL standby promoted': { seconds: 10, run: promoteStandby },
  'load balancer drops all': { seconds: 3, run: ({ place }) => endsOnce(place.balancer) },
  'clients flap': {
    seconds: 6,
    async run({ crowd, random }) {
      let fired = 0;
      for (const end = performance.now() + 6_000; performance.now() < end; fired += 1) {
        const wire = random.pick(crowd.wires);
        wire.cut();
        await sleep(random.int(20, 300));
        wire.mend();
      }
      return fired;
    },
  },
  'clients stand still': {
    seconds: 12,
    async run({ crowd, random }) {
      const still = crowd.wires.filter(() => random.chance(0.25));
      await hold(still, 12_000);
      return still.length;
    },
  },
  'client reads nothing': {
    seconds: 20,
    run: ({ crowd, log, history }) => stall(crowd, log, history),
  },
  'same id on two nodes': {
    seconds: 5,
    async run({ traffic }) {
      const before = traffic.sentTwice;
      traffic.twice = true;
      await sleep(5_000);
      traffic.twice = false;
      return traffic.sentTwice - before;
    },
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** Kills the node that commits messages next: a node picked in advance can have no writing clients. */
function killedAt(when: 'before' | 'after'): Fault {
  return {
    // A frozen node can block all writes for 5 s, and half-open connections can block them for 12 s.
    seconds: 14,
    async run({ place: { nodes } }) {
      let victim: Node | undefined;
      for (const node of nodes)
        atCommit(node.toPostgres, when, () => {
          if (victim === undefined) node.child.signal('SIGKILL');
          return (victim ??= node) === node;
        });
      for (let waited = 0; victim === undefined && waited < 20_000; waited += 50) await sleep(50);
      for (const { toPostgres } of nodes) toPostgres.tap(undefined);
      if (victim === undefined) return 0;
      await ready(victim);
      return 1;
    },
  };
}

async function endAndReturn(node: Node, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  await endsOnce(node.child, signal);
  await ready(node);
}

/** Resolves after the process has ended and has been restarted, which `Child` does after a second. */
async function endsOnce(child: Child, signal: NodeJS.Signals = 'SIGKILL'): Promise<number> {
  const { length } = child.endings;
  child.signal(signal);
  while (child.endings.length === length) await sleep(20);
  await sleep(1_500);
  return 1;
}

async function ready({ url }: Node): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(100);
  }
}

function some({ place, random }: FaultTargets, wire: (node: Node) => Proxy): Proxy[] {
  const nodes = random.chance(0.5) ? place.nodes : [random.pick(place.nodes)];
  return nodes.map(wire);
}

async function onSome(
  field: FaultTargets,
  wire: (node: Node) => Proxy,
  act: (wires: Proxy[], ms: number) => Promise<void>,
): Promise<number> {
  const wires = some(field, wire);
  await act(wires, 6_000);
  return wires.length;
}

async function hold(wires: Proxy[], ms: number): Promise<void> {
  for (const wire of wires) wire.hold();
  await sleep(ms);
  for (const wire of wires) wire.mend();
}

async function endConnections({ db }: ChaosCluster): Promise<number> {
  const ended = await query(
    db,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'parley' and pid <> pg_backend_pid()`,
  );
  return ended.length;
}
