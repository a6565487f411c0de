/**
 * What a node does to its lease, each step at once and by Redis's clock, which is the same for all. `nodes`
 * is a sorted set: each living node, and the millisecond at which its lease runs out.
 */
import type { Redis } from 'ioredis';

const now = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Renews the lease if it is still held. Answers whether it was, and each living node with what it has left. */
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

/** Takes the lease, for a node whose people are written already, and says so. */
const joinScript = `
  ${now}
  redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
  redis.call('PUBLISH', ARGV[3], ARGV[4])
`;

/** Writes what has changed, and says so, if the lease is still held: 1, else 0. */
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

/** Lets the lease run out sooner, and says so. */
const partScript = `
  ${now}
  redis.call('ZADD', KEYS[1], 'XX', now + ARGV[2], ARGV[1])
  redis.call('PUBLISH', ARGV[3], ARGV[4])
`;

export interface Beat {
  held: boolean;
  /** Each living node, this one too, and for how many milliseconds it holds its lease. */
  nodes: Map<string, number>;
}

/** Pairs of person and status; an empty status removes. */
export type Fields = readonly (readonly [userId: string, status: string])[];

/** What a node has written: who says what, its how-manieth word that is, and what node it was before. */
export interface LeaseWrite {
  seq: number;
  was: string;
  people: Map<string, string>;
}

/** The most that is written in one step, so that no step holds up Redis. */
export const mostAtOnce = 500;

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

    /** Writes all that a node says, in place of what it said before, and takes its lease. */
    async register(
      node: string,
      { seq, was, people }: LeaseWrite,
      life: number,
      word: string,
    ): Promise<void> {
      const all = redis.multi().del(peopleOf(node)).hset(peopleOf(node), { seq, was });
      const fields = [...people];
      for (let i = 0; i < fields.length; i += mostAtOnce)
        all.hset(peopleOf(node), ...fields.slice(i, i + mostAtOnce).flat());
      all.pexpire(peopleOf(node), life * 2);
      const results = await all.eval(joinScript, 1, nodes, node, life, channel, word).exec();
      const failed = results?.find(([error]) => error !== null);
      if (failed?.[0]) throw failed[0];
    },

    /** False if the lease has run out; then nothing was written. */
    async change(node: string, seq: number, fields: Fields, word: string): Promise<boolean> {
      const keys = [nodes, peopleOf(node)];
      const done = await redis.eval(
        changeScript,
        keys.length,
        ...keys,
        node,
        seq,
        channel,
        word,
        ...fields.flat(),
      );
      return done === 1;
    },

    async part(node: string, left: number, word: string): Promise<void> {
      await redis.eval(partScript, 1, nodes, node, left, channel, word);
    },

    /** How many words each of these nodes has written: 0 if nothing is there. */
    seqs: (list: string[]): Promise<number[]> =>
      Promise.all(list.map(async (node) => Number(await redis.hget(peopleOf(node), 'seq')))),

    async read(node: string): Promise<LeaseWrite> {
      const { seq, was, ...people } = await redis.hgetall(peopleOf(node));
      return { seq: Number(seq ?? 0), was: was ?? '', people: new Map(Object.entries(people)) };
    },
  };
}
