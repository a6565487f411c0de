/**
 * Redis scripts for the lease of a node. Each step is atomic and uses the clock of Redis, which is the same for all
 * nodes. `nodes` is a sorted set of the living nodes, by the millisecond at which their lease expires.
 */
import type { Redis } from 'ioredis';

const now = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Renews the lease if it has not expired. Returns whether it did, and the time left of each living node's lease. */
const beatScript = `
  ${now}
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  local held = redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('PEXPIRE', KEYS[2], ARGV[2] * 2)
  if held == 1 then redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) end
  local answer = { held or 0 }
  local nodes = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  for i = 1, #nodes, 2 do
    answer[i + 1] = nodes[i]
    answer[i + 2] = nodes[i + 1] - now
  end
  return answer
`;

/** Takes the lease, for a node whose people are written already, and publishes a message. */
const joinScript = `
  ${now}
  redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
  redis.call('PUBLISH', ARGV[3], ARGV[4])
`;

const changeScript = `
  ${now}
  local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
  if not ends or tonumber(ends) <= now then return 0 end
  for i = 5, #ARGV, 2 do
    if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[2], ARGV[i])
    else redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
  end
  redis.call('HSET', KEYS[2], 'seq', ARGV[2])
  redis.call('PUBLISH', ARGV[3], ARGV[4])
  return 1
`;

const leaveScript = `
  ${now}
  redis.call('ZADD', KEYS[1], 'XX', now + ARGV[2], ARGV[1])
  redis.call('PUBLISH', ARGV[3], ARGV[4])
`;

export interface Beat {
  held: boolean;
  /** The milliseconds until the lease of each living node expires, this one included. */
  nodes: Map<string, number>;
}

/** Pairs of person and status; an empty status removes. */
export type Fields = readonly (readonly [userId: string, status: string])[];

/** The data of a node: the statuses of its people, the number of its messages, and its previous id. */
export interface LeaseWrite {
  seq: number;
  was: string;
  people: Map<string, string>;
}

/** Bounds the statuses that one step writes, so that no step blocks Redis for long. */
export const maxAtOnce = 500;

export type LeaseCommands = ReturnType<typeof leaseCommands>;

export function leaseCommands(redis: Redis, prefix: string) {
  const nodes = `${prefix}nodes`;
  const peopleOf = (node: string) => `${prefix}node:${node}`;
  const channel = `${prefix}presence`;

  return {
    channel,

    async beat(node: string, life: number): Promise<Beat> {
      const answer = await redis.eval(beatScript, 2, nodes, peopleOf(node), node, life);
      const [held, ...pairs] = answer as (string | number)[];
      const living = new Map<string, number>();
      for (let i = 0; i < pairs.length; i += 2) living.set(String(pairs[i]), Number(pairs[i + 1]));
      return { held: held === 1, nodes: living };
    },

    async register(
      node: string,
      { seq, was, people }: LeaseWrite,
      life: number,
      message: string,
    ): Promise<void> {
      const all = redis.multi().del(peopleOf(node)).hset(peopleOf(node), { seq, was });
      const fields = [...people];
      for (let i = 0; i < fields.length; i += maxAtOnce)
        all.hset(peopleOf(node), ...fields.slice(i, i + maxAtOnce).flat());
      all.pexpire(peopleOf(node), life * 2);
      const results = await all.eval(joinScript, 1, nodes, node, life, channel, message).exec();
      const failed = results?.find(([error]) => error !== null);
      if (failed?.[0]) throw failed[0];
    },

    /** False if the lease has expired; then nothing was written. */
    async change(node: string, seq: number, fields: Fields, message: string): Promise<boolean> {
      const keys = [nodes, peopleOf(node)];
      const done = await redis.eval(
        changeScript,
        keys.length,
        ...keys,
        node,
        seq,
        channel,
        message,
        ...fields.flat(),
      );
      return done === 1;
    },

    async leave(node: string, left: number, message: string): Promise<void> {
      await redis.eval(leaveScript, 1, nodes, node, left, channel, message);
    },

    /** The number of messages of each of these nodes: 0 if it has written nothing. */
    seqs: (list: string[]): Promise<number[]> =>
      Promise.all(list.map(async (node) => Number(await redis.hget(peopleOf(node), 'seq')))),

    async read(node: string): Promise<LeaseWrite> {
      const { seq, was, ...people } = await redis.hgetall(peopleOf(node));
      return { seq: Number(seq ?? 0), was: was ?? '', people: new Map(Object.entries(people)) };
    },
  };
}
