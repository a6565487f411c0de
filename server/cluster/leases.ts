/**
 * Presence on each node, by leases in Redis. A node writes the statuses of its own people under its id: always the
 * status itself, never a difference of counts. It renews its lease with each heartbeat; when the lease expires, all its
 * statuses expire too. It subscribes to the messages of the other nodes, and with each heartbeat compares the sequence
 * numbers that it knows with the ones in Redis, to read the nodes of which it missed a message.
 *
 * The steps run one after the other. When one fails, the next one that reaches Redis writes everything again; until
 * then the node keeps the known statuses of the others.
 */
import type { Logger } from '../node/log.ts';
import { newMergedPresence } from './presence-merge.ts';
import type { Leases } from './cluster.ts';
import { leaseCommands } from './lease-scripts.ts';
import type { RedisConnection } from './connection.ts';
import { newLease } from './own-lease.ts';
import { newPeers } from './peers.ts';
import { runSerially } from './serial-runner.ts';
import { parsePresenceMessage } from './presence-messages.ts';

/** Times in milliseconds. `beat`: between renewals of a lease. `life`: how long a lease lasts without renewal. */
export interface LeaseTiming {
  beat: number;
  life: number;
  /** How long the lease of a node lasts after it has left: meanwhile its people reconnect to another node. */
  leaveTtl: number;
}

export const defaultTiming: LeaseTiming = { beat: 5_000, life: 20_000, leaveTtl: 5_000 };

export interface LeasesByRedis extends Leases {
  /** Call when Redis answers again: it may have lost its data. */
  rejoin(): void;
  look(): void;
  started: Promise<void>;
  close(): Promise<void>;
}

export function leaseByRedis(
  {
    commands,
    subscriber,
    prefix,
    log,
  }: { commands: RedisConnection; subscriber: RedisConnection; prefix: string; log: Logger },
  timing: LeaseTiming,
): LeasesByRedis {
  const scripts = leaseCommands(commands, prefix);
  const merged = newMergedPresence();
  const own = newLease(scripts, timing.life);
  const peers = newPeers(scripts, merged);
  let beatAt = 0;
  /** No node counts as dead before this time: in an outage of Redis none could renew its lease. */
  let lenientUntil = 0;

  const beLenient = () => void (lenientUntil = performance.now() + 2 * timing.beat);

  function noteLoss() {
    log.warn(
      { was: own.was, node: own.node },
      'lost the lease of this node and acquired a new one',
    );
    beLenient();
  }

  async function beat() {
    const { held, nodes } = await scripts.beat(own.node, timing.life);
    if (!held) {
      await own.takeAgain();
      noteLoss();
    }
    const others = [...nodes].filter(([node]) => node !== own.node && node !== own.was);
    await peers.compare(
      others.map(([node]) => node),
      performance.now() < lenientUntil,
    );
    // If a lease expires before the next heartbeat, the heartbeat comes earlier, to detect it in time.
    const soonest = Math.min(timing.beat, ...others.map(([, left]) => left + 10));
    beatAt = performance.now() + Math.max(50, soonest);
    subscriber.ping().catch(() => undefined);
  }

  const runner = runSerially(timing.beat, {
    possible: () => commands.status === 'ready',
    next: () => beatAt,
    async round() {
      if ((await own.write()) === 'lost') noteLoss();
      if (performance.now() >= beatAt) await beat();
      await peers.read();
    },
    failed(error) {
      log.debug({ err: error }, 'failed to write or read presence in Redis');
      own.invalidate();
    },
  });

  function look() {
    beatAt = 0;
    runner.run();
  }

  subscriber.subscribe(scripts.channel).catch(() => undefined);
  subscriber.on('message', (channel, text) => {
    const message = channel === scripts.channel ? parsePresenceMessage(text) : undefined;
    if (message === undefined || message.node === own.node) return;
    if (message.look === true) look();
    else if (peers.receive(message) === 'to read') runner.run();
  });

  return {
    set(userId, said) {
      if (!own.set(userId, said)) return;
      merged.note('here', [[userId, said]]);
      runner.run();
    },
    status: (userId) => merged.status(userId),
    everyone: () => merged.everyone(),
    onChange: (listener) => merged.onChange(listener),
    rejoin() {
      own.invalidate();
      beLenient();
      look();
    },
    look,
    started: runner.first,
    async close() {
      runner.stop();
      if (commands.status !== 'ready') return;
      // If this fails, the lease expires by itself later.
      await own.leave(Math.min(timing.leaveTtl, timing.life)).catch(() => undefined);
    },
  };
}
