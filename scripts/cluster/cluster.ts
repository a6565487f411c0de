import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Child } from './child.ts';
import { freePort, openStores, type Addresses, type Stores } from './place.ts';

export interface Settings {
  port: number;
  directory: string;
  databaseUrl?: string | undefined;
  /** More settings from docs/configuration.md, for each node by its index. */
  env?: (node: number) => Record<string, string>;
  /** The address of a proxy in front of the load balancer, if there is one: see haproxy.cfg. */
  front?: string;
  /** Node’s arguments for each node. Default: the built server. */
  program?: string[] | undefined;
  wiring?: Wiring;
  log: (line: string) => void;
}

/** The addresses at which parts find each other, if something is placed between them. */
export interface Wiring {
  stores(node: number, stores: Stores): Promise<Addresses>;
  /** Returns the port of a node for the load balancer. */
  node(node: number, port: number): Promise<number>;
}

const direct: Wiring = {
  stores: (_, stores) => Promise.resolve(stores),
  node: (_, port) => Promise.resolve(port),
};

export interface RunningCluster {
  /** The greeting of the first node: the address, and until the instance has an owner, how to become it. */
  greeting: string;
  /** Each node, and its own address without the load balancer. */
  nodes: { url: string; child: Child }[];
  stores: Stores;
  balancer: Child;
  close(): Promise<void>;
}

export const builtServer = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));
const balancing = fileURLToPath(new URL('haproxy.cfg', import.meta.url));

export async function startCluster(settings: Settings): Promise<RunningCluster> {
  const { port, directory, databaseUrl, log, wiring = direct } = settings;
  const stores = await openStores(directory, databaseUrl, log);
  const running: Child[] = [];
  const close = async () => {
    // Ends the load balancer after the nodes, so that clients receive the nodes’ reason for closing.
    for (const group of [running.slice(0, -1), running.slice(-1)])
      await Promise.all(group.map((child) => child.end()));
    await stores.close();
  };
  try {
    const ports = [await freePort(), await freePort(), await freePort()];
    const nodes: RunningCluster['nodes'] = [];
    const greetings: string[] = [];
    // In sequence, because the first creates the tables.
    for (const [index, at] of ports.entries()) {
      const node = startNode(index, at, await wiring.stores(index, stores), settings);
      running.push(node);
      nodes.push({ url: local(at), child: node });
      greetings.push(await node.greeting());
    }
    const behind = await Promise.all(ports.map((at, index) => wiring.node(index, at)));
    const balancer = startBalancer(settings, behind);
    running.push(balancer);
    await ready(local(port));
    return { greeting: greetings[0] ?? '', nodes, stores, balancer, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const local = (port: number) => `http://127.0.0.1:${port}`;

function startNode(
  index: number,
  port: number,
  { databaseUrl, redisUrl }: Addresses,
  { port: way, env, program = [builtServer], log }: Settings,
): Child {
  const settings = {
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: process.env.PUBLIC_URL ?? `http://localhost:${way}`,
    TRUST_PROXY: '1',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ...env?.(index),
  };
  const name = `node ${index + 1}`;
  return new Child({ name, command: process.execPath, args: program, env: settings }, log);
}

function startBalancer({ port, front, log }: Settings, nodes: number[]): Child {
  const addresses = nodes.map((at, index) => [`NODE_${index + 1}`, `127.0.0.1:${at}`]);
  return new Child(
    {
      name: 'haproxy',
      command: 'haproxy',
      args: ['-q', '-f', balancing],
      env: {
        LISTEN: `:${port}`,
        ...(front !== undefined && { FRONT_PROXY: front }),
        ...(Object.fromEntries(addresses) as Record<string, string>),
      },
    },
    log,
  );
}

/** HAProxy answers 503 as long as it has no node. */
async function ready(url: string): Promise<void> {
  for (let tries = 0; tries < 150; tries += 1) {
    const status = await fetch(`${url}/up`).then(
      (response) => response.status,
      () => undefined,
    );
    if (status === 200) return;
    await sleep(100);
  }
  throw new Error(`HAProxy at ${url} didn’t become ready.`);
}
