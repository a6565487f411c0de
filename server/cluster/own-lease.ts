/** This node's own lease: the statuses of its people, and which of them are written to Redis. */
import { randomUUID } from 'node:crypto';
import type { NodeStatus } from './presence-merge.ts';
import { maxAtOnce, type LeaseCommands } from './lease-scripts.ts';
import type { PresenceMessage } from './presence-messages.ts';

export interface OwnLease {
  readonly node: string;
  /** The previous id, if a lease was lost. */
  readonly was: string;
  /** False if the person had this status already. */
  set(userId: string, said: NodeStatus | undefined): boolean;
  /** Writes the unwritten statuses. 'lost': the lease had expired, and a new one was taken. */
  write(): Promise<'held' | 'lost'>;
  /** After the lease expired, other nodes may have dropped its statuses: takes a new id and writes everything. */
  takeAgain(): Promise<void>;
  /** Makes the next write write everything, because after an error the state in Redis is unknown. */
  invalidate(): void;
  leave(left: number): Promise<void>;
}

export function newLease(commands: LeaseCommands, life: number): OwnLease {
  const people = new Map<string, NodeStatus>();
  const unwritten = new Set<string>();
  let node: string = randomUUID();
  let was = '';
  let seq = 0;
  let registered = false;

  const messageOf = (message: Omit<PresenceMessage, 'node' | 'seq'>) =>
    JSON.stringify({ node, seq, ...message });

  async function register() {
    unwritten.clear();
    seq += 1;
    await commands.register(node, { seq, was, people }, life, messageOf({}));
    registered = true;
  }

  async function writeSome(): Promise<boolean> {
    const ids = [...unwritten].slice(0, maxAtOnce);
    for (const id of ids) unwritten.delete(id);
    seq += 1;
    const fields = ids.map((id) => [id, people.get(id) ?? ''] as const);
    const message = messageOf({
      people: Object.fromEntries(ids.map((id) => [id, people.get(id) ?? null])),
    });
    return commands.change(node, seq, fields, message);
  }

  async function takeAgain() {
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
      unwritten.add(userId);
      return true;
    },
    async write() {
      if (!registered) await register();
      while (unwritten.size > 0) {
        if (await writeSome()) continue;
        await takeAgain();
        return 'lost';
      }
      return 'held';
    },
    takeAgain,
    invalidate: () => void (registered = false),
    async leave(left) {
      if (registered) await commands.leave(node, left, messageOf({ look: true }));
    },
  };
}
