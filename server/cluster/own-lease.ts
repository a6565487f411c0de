/** This node's own lease: what it says of its people, and what of that is written in Redis. */
import { randomUUID } from 'node:crypto';
import type { NodeStatus } from './presence-merge.ts';
import { mostAtOnce, type LeaseCommands } from './lease-scripts.ts';
import type { Word } from './presence-messages.ts';

export interface OwnLease {
  /** The node's id, for as long as it holds this lease. */
  readonly node: string;
  /** The id before, if a lease was lost. */
  readonly was: string;
  /** False if this is what it says already. */
  set(userId: string, said: NodeStatus | undefined): boolean;
  /** Writes what is not written yet. Says whether the lease was lost, and a new one taken, on the way. */
  write(): Promise<'held' | 'lost'>;
  /** The lease has run out, and others may have dropped what it said: takes a new id, writes everything. */
  startAnew(): Promise<void>;
  /** What is written is not known any more: everything is written again. */
  doubt(): void;
  part(left: number): Promise<void>;
}

export function newLease(commands: LeaseCommands, life: number): OwnLease {
  const people = new Map<string, NodeStatus>();
  const unsaid = new Set<string>();
  let node: string = randomUUID();
  let was = '';
  let seq = 0;
  let registered = false;

  const say = (word: Omit<Word, 'node' | 'seq'>) => JSON.stringify({ node, seq, ...word });

  async function register() {
    unsaid.clear();
    seq += 1;
    await commands.register(node, { seq, was, people }, life, say({}));
    registered = true;
  }

  /** Writes some of what has changed; false if the lease was lost. */
  async function writeSome(): Promise<boolean> {
    const ids = [...unsaid].slice(0, mostAtOnce);
    for (const id of ids) unsaid.delete(id);
    seq += 1;
    const fields = ids.map((id) => [id, people.get(id) ?? ''] as const);
    const word = say({ people: Object.fromEntries(ids.map((id) => [id, people.get(id) ?? null])) });
    return commands.change(node, seq, fields, word);
  }

  async function startAnew() {
    [was, node, seq] = [node, randomUUID(), 0];
    await register();
  }

  return {
    get node() {
      return node;
    },
    get was() {
      return was;
    },
    set(userId, said) {
      if (people.get(userId) === said) return false;
      if (said === undefined) people.delete(userId);
      else people.set(userId, said);
      unsaid.add(userId);
      return true;
    },
    async write() {
      if (!registered) await register();
      while (unsaid.size > 0) {
        if (await writeSome()) continue;
        await startAnew();
        return 'lost';
      }
      return 'held';
    },
    startAnew,
    doubt: () => void (registered = false),
    async part(left) {
      if (registered) await commands.part(node, left, say({ look: true }));
    },
  };
}
