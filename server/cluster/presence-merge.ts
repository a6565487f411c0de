import { z } from 'zod';
import type { Status } from '../../shared/presence.ts';

/** When nodes differ, the later one counts: an invisible person stays invisible where a node does not know it yet. */
export const NodeStatus = z.enum(['idle', 'online', 'dnd', 'invisible']);
export type NodeStatus = z.infer<typeof NodeStatus>;

export interface MergedPresence {
  /** Sets the statuses of some people on a node; undefined removes one. */
  note(node: string, said: Iterable<readonly [userId: string, said: NodeStatus | undefined]>): void;
  replace(node: string, people: ReadonlyMap<string, NodeStatus>): void;
  drop(node: string): void;
  status(userId: string): Status;
  everyone(): string[];
  onChange(listener: (userIds: string[]) => void): void;
}

export function newMergedPresence(): MergedPresence {
  const nodes = new Map<string, Map<string, NodeStatus>>();
  const listeners: ((userIds: string[]) => void)[] = [];

  function status(userId: string): Status {
    let believed = -1;
    for (const people of nodes.values()) {
      const said = people.get(userId);
      if (said !== undefined) believed = Math.max(believed, NodeStatus.options.indexOf(said));
    }
    const status = NodeStatus.options[believed] ?? 'invisible';
    return status === 'invisible' ? 'offline' : status;
  }

  function compare(userIds: Iterable<string>, change: () => void): void {
    const before = new Map([...userIds].map((id) => [id, status(id)]));
    change();
    const changed = [...before].filter(([id, was]) => status(id) !== was).map(([id]) => id);
    if (changed.length > 0) for (const listener of listeners) listener(changed);
  }

  return {
    status,
    note(node, said) {
      const changes = [...said];
      compare(
        changes.map(([id]) => id),
        () => {
          const people = nodes.get(node) ?? new Map<string, NodeStatus>();
          nodes.set(node, people);
          for (const [id, said] of changes)
            if (said === undefined) people.delete(id);
            else people.set(id, said);
        },
      );
    },
    replace(node, people) {
      const before = nodes.get(node)?.keys() ?? [];
      compare(new Set([...before, ...people.keys()]), () => nodes.set(node, new Map(people)));
    },
    drop(node) {
      compare(nodes.get(node)?.keys() ?? [], () => nodes.delete(node));
    },
    everyone() {
      const all = new Set([...nodes.values()].flatMap((people) => [...people.keys()]));
      return [...all].filter((id) => status(id) !== 'offline');
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
