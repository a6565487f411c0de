/** One node of several, joined by Redis. While Redis is away, or comes back empty, each node continues by itself. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdapter } from '@socket.io/redis-adapter';
import type { Clock } from '../node/clock.ts';
import type { Logger } from '../node/log.ts';
import type { Cluster, Health, NodeIo } from './cluster.ts';
import { leaseByRedis, defaultTiming, type LeaseTiming } from './leases.ts';
import { countTogether } from './limits.ts';
import { RedisConnection } from './connection.ts';
import { rememberTogether } from './sessions.ts';

export interface Joining {
  url: string;
  prefix: string;
  /** Multiplies the rate limits. */
  scale: number;
  clock: Clock;
  io: NodeIo;
  log: Logger;
  timing?: LeaseTiming;
}

/** In milliseconds: how long a start waits for Redis, and how long an echo waits for its message. */
const timeoutMs = { start: 2_000, message: 1_000 };

export async function joinByRedis(joining: Joining): Promise<Cluster> {
  const { url, prefix, scale, clock, io, log, timing = defaultTiming } = joining;
  const commands = new RedisConnection(url, 'commands', log);
  const subscriber = new RedisConnection(url, 'subscriber', log);
  io.adapter(createAdapter(commands, subscriber, { key: `${prefix}socket.io` }));
  const leases = leaseByRedis({ commands, subscriber, prefix, log }, timing);
  const echo = newEcho(commands, subscriber, prefix);
  const recovered: (() => void)[] = [];
  let opened = false;
  let isSubscribed = false;

  commands.on('ready', () => leases.rejoin());
  const listening = new Promise<void>((resolve) => {
    subscriber.onListening(() => {
      resolve();
      isSubscribed = true;
      leases.look();
      if (opened) for (const listener of recovered) guarded(log, listener)(undefined);
    });
  });
  subscriber.on('close', () => {
    isSubscribed = false;
  });
  const joined = Promise.all([listening, leases.started]);
  await Promise.race([joined, sleep(timeoutMs.start)]);
  opened = true;
  return {
    limits: countTogether(commands, prefix, scale, clock),
    leases,
    sessions: rememberTogether(commands, prefix),
    broadcast: guarded(log, (message) => void io.serverSideEmit('parcel', message)),
    onMessage: (listener) => void io.on('parcel', guarded(log, listener)),
    isSubscribed: () => isSubscribed,
    onResubscribed: (listener) => void recovered.push(listener),
    healthy: () => echo.call(),
    async close() {
      await leases.close();
      for (const connection of [commands, subscriber]) connection.disconnect();
    },
  };
}

/** Tests Redis by a message from this node to itself. */
function newEcho(commands: RedisConnection, subscriber: RedisConnection, prefix: string) {
  const channel = `${prefix}echo:${randomUUID()}`;
  const waiting = new Map<string, () => void>();
  subscriber.subscribe(channel).catch(() => undefined);
  subscriber.on('message', (at, text) => {
    if (at === channel) waiting.get(text)?.();
  });
  const inTime = (done: Promise<unknown>) =>
    Promise.race([
      done.then(
        () => true,
        () => false,
      ),
      sleep(timeoutMs.message, false, { ref: false }),
    ]);
  return {
    async call(): Promise<Health> {
      const id = randomUUID();
      const arrival = new Promise<void>((resolve) => waiting.set(id, resolve));
      const sent = commands.publish(channel, id);
      const [publish, subscribe] = await Promise.all([
        inTime(sent),
        inTime(Promise.all([sent, arrival])),
      ]);
      waiting.delete(id);
      return { publish, subscribe };
    },
  };
}

/** Catches errors of `listener`: in and around the adapter, a throw would end the process. */
function guarded<T>(log: Logger, listener: (said: T) => void): (said: T) => void {
  return (said) => {
    try {
      listener(said);
    } catch (error) {
      log.error({ err: error }, 'failed to send or process a message between nodes');
    }
  };
}
