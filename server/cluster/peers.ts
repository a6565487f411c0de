/** The other nodes: the last known message of each, and the nodes that have to be read from Redis. */
import { NodeStatus, type MergedPresence } from './presence-merge.ts';
import type { LeaseCommands } from './lease-scripts.ts';
import type { PresenceMessage } from './presence-messages.ts';

export interface Peers {
  /** Applies a message if it is the next one of its node. Otherwise the node has to be read. */
  receive(message: PresenceMessage): 'known' | 'to read';
  /** Compares with the living nodes: drops those that are gone (unless `lenient`), notes those that have to be read. */
  compare(living: string[], lenient: boolean): Promise<void>;
  read(): Promise<void>;
}

export function newPeers(commands: LeaseCommands, merged: MergedPresence): Peers {
  const known = new Map<string, number>();
  const unread = new Set<string>();

  function forget(node: string) {
    known.delete(node);
    unread.delete(node);
    merged.drop(node);
  }

  return {
    receive({ node, seq, people }) {
      const last = known.get(node);
      if (last !== undefined && seq <= last) return 'known';
      if (people === undefined || last === undefined || seq !== last + 1) {
        unread.add(node);
        return 'to read';
      }
      known.set(node, seq);
      merged.note(
        node,
        Object.entries(people).map(([id, said]) => [id, said ?? undefined] as const),
      );
      return 'known';
    },
    async compare(living, lenient) {
      const seqs = await commands.seqs(living);
      living.forEach((node, i) => {
        if (known.get(node) !== seqs[i]) unread.add(node);
      });
      if (lenient) return;
      for (const node of known.keys()) if (!living.includes(node)) forget(node);
    },
    async read() {
      for (const node of [...unread]) {
        unread.delete(node);
        const { seq, was, people } = await commands.read(node);
        // The node is gone, or this is older than its messages. The next heartbeat finds anything newer.
        if (seq === 0 || seq < (known.get(node) ?? 0)) continue;
        known.set(node, seq);
        merged.replace(node, readSaid(people));
        if (was !== '') forget(was);
      }
    },
  };
}

/** Ignores statuses that this version of Parley does not know. */
function readSaid(people: Map<string, string>): Map<string, NodeStatus> {
  const known = new Map<string, NodeStatus>();
  for (const [id, text] of people) {
    const { data } = NodeStatus.safeParse(text);
    if (data !== undefined) known.set(id, data);
  }
  return known;
}
