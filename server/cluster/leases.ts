/**
 * Who is online on which node, by leases in Redis. Each node writes what it says of its own people, always
 * how they are and never a difference of counts, under an id that it takes at its start; it renews its lease
 * with each beat, and with the lease goes all that it said. It hears what the others write, and with each
 * beat compares how many words of theirs it knows with how many there are: what it missed it reads.
 *
 * Everything happens in rounds, one after the other. When one fails, the next that reaches Redis writes
 * everything anew; what was heard of the others stands meanwhile.
 */
import type { Logger } from '../node/log.ts';
import { newAttendance } from './presence-merge.ts';
import type { Leases } from './cluster.ts';
import { leaseCommands } from './lease-scripts.ts';
import type { RedisConnection } from './connection.ts';
import { newLease } from './own-lease.ts';
import { newPeers } from './peers.ts';
import { inTurn } from './serial-runner.ts';
import { readWord } from './presence-messages.ts';

/** In milliseconds. */
export interface LeaseTiming {
  /** From one renewal of a lease to the next. */
  beat: number;
  /** How long a lease holds that is not renewed. */
  life: number;
  /** How long the lease of a node that has left holds: its people are on their way to another. */
  leaveTtl: number;
}

export const usualRhythm: LeaseTiming = { beat: 5_000, life: 20_000, leaveTtl: 5_000 };

export interface LeasesByRedis extends Leases {
  /** Redis can be asked again, and may have come back empty. */
  rejoin(): void;
  /** The others can be heard again. */
  look(): void;
  /** Settled after the first look at who is there. */
  started: Promise<void>;
  close(): Promise<void>;
}

/** `commands` asks, `subscriber` listens. */
export function leaseByRedis(
  {
    commands,
    subscriber,
    prefix,
    log,
  }: { commands: RedisConnection; subscriber: RedisConnection; prefix: string; log: Logger },
  rhythm: LeaseTiming,
): LeasesByRedis {
  const scripts = leaseCommands(commands, prefix);
  const attendance = newAttendance();
  const own = newLease(scripts, rhythm.life);
  const peers = newPeers(scripts, attendance);
  let beatAt = 0;
  /** Until then nobody is taken for dead: after a gap in which no lease could be renewed. */
  let lenientUntil = 0;

  const beLenient = () => void (lenientUntil = performance.now() + 2 * rhythm.beat);

  function noteLoss() {
    log.warn({ was: own.was, node: own.node }, 'the lease of this node was lost: it has a new one');
    beLenient();
  }

  async function beat() {
    const { held, nodes } = await scripts.beat(own.node, rhythm.life);
    if (!held) {
      await own.startAnew();
      noteLoss();
    }
    const others = [...nodes].filter(([node]) => node !== own.node && node !== own.was);
    await peers.compare(
      others.map(([node]) => node),
      performance.now() < lenientUntil,
    );
    // Whoever runs out before the next beat is missed in time.
    const soonest = Math.min(rhythm.beat, ...others.map(([, left]) => left + 10));
    beatAt = performance.now() + Math.max(50, soonest);
    void subscriber.ping();
  }

  const rounds = inTurn(rhythm.beat, {
    possible: () => commands.status === 'ready',
    next: () => beatAt,
    async round() {
      if ((await own.write()) === 'lost') noteLoss();
      if (performance.now() >= beatAt) await beat();
      await peers.read();
    },
    failed(error) {
      log.debug({ err: error }, 'who is online could not be written or read');
      own.doubt();
    },
  });

  function look() {
    beatAt = 0;
    rounds.run();
  }

  void subscriber.subscribe(scripts.channel);
  subscriber.on('message', (channel, text) => {
    const word = channel === scripts.channel ? readWord(text) : undefined;
    if (word === undefined || word.node === own.node) return;
    if (word.look === true) look();
    else if (peers.hear(word) === 'to read') rounds.run();
  });

  return {
    set(userId, said) {
      if (!own.set(userId, said)) return;
      attendance.note('here', [[userId, said]]);
      rounds.run();
    },
    status: (userId) => attendance.status(userId),
    everyone: () => attendance.everyone(),
    onChange: (listener) => attendance.onChange(listener),
    rejoin() {
      own.doubt();
      beLenient();
      look();
    },
    look,
    started: rounds.first,
    async close() {
      rounds.stop();
      if (commands.status !== 'ready') return;
      // Without it the lease holds for the rest of its life.
      await own.part(Math.min(rhythm.leaveTtl, rhythm.life)).catch(() => undefined);
    },
  };
}
